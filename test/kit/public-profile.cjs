// Creates a public profile and requests that came from it, for the pages that show requests.

const PROFILE = {
  slug: 'north-hall',
  is_public: true,
  headline: 'North Hall: functional parts in PETG and nylon',
  about:
    'Four printers, parts up to 300 × 300 × 300 mm.\nBrackets, housings, gears and spare parts; a first piece within two days, small series within a week.',
  materials: ['PLA', 'PETG', 'ABS', 'PA-CF', 'TPU 95A'],
  contact: 'Workshop: 12 Harbour Street, Tue–Sat',
};

const REQUESTS = [
  {
    description: 'Spare gear for a coffee grinder, 32 teeth\nThe old one is broken in two, photos on request.',
    contact: 'Anna, +1 555 0100',
    client_email: 'anna@client.example',
    budget: 'up to 40 €',
    deadline: 'next Friday',
  },
  { description: '20 brackets for a shelf, black, load 15 kg each', client_email: 'workshop@joinery.example' },
];

/**
 * @param {{ origin: string, request: import('playwright-core').APIRequestContext, profile?: object, requests?: object[]
 * }} plan
 * `request`: of a signed-in browser
 * @returns {Promise<string>} the id of the first request
 */
exports.createRequests = async ({ origin, request, profile = {}, requests = REQUESTS }) => {
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  const saved = await request.put(`${origin}/console/api/profile`, { data: { ...PROFILE, ...profile }, headers });
  if (!saved.ok()) throw new Error(`${saved.status()} ${await saved.text()}`);
  const { slug } = await saved.json();
  const page = await (await fetch(`${origin}/masters/${slug}`)).text();
  const [, token = ''] = /<input (?=[^>]*name="token")[^>]*value="([^"]*)"/.exec(page) ?? [];
  // forms sent within 3 s are treated as bots
  await new Promise((resolve) => setTimeout(resolve, 3_100));
  for (const fields of [...requests].reverse()) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ token, ...fields })) form.append(name, value);
    if (fields === requests[0]) {
      form.append('file', new Blob(['v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n']), 'gear 32 teeth.obj');
    }
    const to = `${origin}/masters/${slug}/requests`;
    const sent = await fetch(to, { method: 'POST', body: form, redirect: 'manual' });
    if (sent.status !== 303) throw new Error(`${sent.status} ${await sent.text()}`);
  }
  const { items } = await (await request.get(`${origin}/console/api/leads`)).json();
  return items[0].id;
};
