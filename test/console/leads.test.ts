import { type Browser, createFirstOwner, openBrowser } from '../kit/console-client.ts';
import { inspectDatabase, write } from '../kit/database.ts';
import {
  findForm,
  type OpenForm,
  openForm,
  PNG,
  REQUEST,
  type Sent,
  sendForm,
  waitUntilAccepted,
} from '../kit/leads.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { gpsJpeg, SECRET } from '../kit/photos.ts';
import { createEmptyDataFolder, startService } from '../kit/service.ts';

/** The slug that the tests use. */
const FORMS = 8;

const folder = forSuite(createEmptyDataFolder);
const service = forSuite(() => startService({ ...folder.env, TRUSTED_PROXIES: '127.0.0.1' }));
const inspector = forSuite(() => inspectDatabase(folder.file));
let owner: Browser;

beforeAll(async () => {
  owner = await createFirstOwner(service);
  await owner.put('/profile', { slug: 'farm', is_public: true, headline: 'Farm' });
  openForms = await Promise.all(Array.from({ length: FORMS }, () => openForm(service.origin, 'farm')));
});

let visitors = 0;
/** A visitor who hasn't sent anything yet. */
const somebody = () => {
  visitors += 1;
  return { 'X-Forwarded-For': `198.51.${visitors >> 8}.${visitors & 255}` };
};

const countStored = async () => Number((await inspector.rows<{ n: number }>('SELECT count(*) AS n FROM leads'))[0]?.n);

/** Resets the daily limits. */
const forgetLimits = () => write(folder.file, 'DELETE FROM lead_limits');

/** Opened before the tests, so that all become old enough together. */
let openForms: OpenForm[];

async function formOldEnough(): Promise<OpenForm> {
  const form = openForms.pop();
  if (!form) throw new Error('every form that was opened before the tests is in use');
  await waitUntilAccepted(form);
  return form;
}

async function send(form: OpenForm, sent: Sent = {}) {
  const answer = await sendForm(service.origin, form, { headers: somebody(), ...sent });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}

const page = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${service.origin}${path}`, { headers, redirect: 'manual' });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
};

test('answers for an unpublished profile exactly as for a missing one', async () => {
  await owner.put('/profile', { slug: 'hidden', is_public: false });
  const photo = { raw: PNG, headers: { 'Content-Type': 'application/octet-stream' } };
  const { body } = await owner.ask<{ photos: string[] }>('POST', '/profile/photos', photo);
  for (const rest of ['', '/sent', '/requests', `/photos/${body.photos[0]}`, '/else']) {
    const hidden = await page(`/masters/hidden${rest}`);
    const unknown = await page(`/masters/nobody${rest}`);
    expect(hidden.status).toBe(404);
    expect(hidden.html).toBe(unknown.html);
    const flat = ({ headers }: typeof hidden) =>
      [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
    expect(flat(hidden)).toEqual(flat(unknown));
  }
  const sent = (slug: string) =>
    sendForm(service.origin, { action: `/masters/${slug}/requests`, token: 'x' }).then(async (answer) => [
      answer.status,
      await answer.text(),
    ]);
  expect(await sent('hidden')).toEqual(await sent('nobody'));
  expect((await page('/masters')).html).not.toContain('hidden');
  expect((await page('/masters/sitemap.xml')).html).not.toContain('hidden');
  await owner.put('/profile', { slug: 'farm', is_public: true, materials: ['PETG', 'Нейлон'] });
  const shown = await page('/masters/farm');
  expect(shown.status).toBe(200);
  expect(shown.headers.get('x-robots-tag')).toBeNull();
  expect(shown.html).toContain(`<link rel="canonical" href="${service.origin}/masters/farm"/>`);
  expect((await page('/masters/sitemap.xml')).html).toContain(`<loc>${service.origin}/masters/farm</loc>`);
  expect((await page('/masters?material=%D0%BD%D0%95%D0%B9')).html).toContain('/masters/farm');
  expect((await page('/masters?material=PLA')).html).not.toContain('/masters/farm');
  const picture = await page(`/masters/farm/photos/${body.photos[0]}`);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(picture.headers.get('cache-control')).toContain('immutable');
  expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
  expect(picture.headers.get('content-security-policy')).toContain('sandbox');
});

test('serves photos without the place where they were taken', async () => {
  const upload = { raw: gpsJpeg(6), headers: { 'Content-Type': 'application/octet-stream' } };
  expect(upload.raw.includes(SECRET)).toBe(true);
  const { body } = await owner.ask<{ photos: string[] }>('POST', '/profile/photos', upload);
  const id = body.photos.at(-1);
  const stored = async () => {
    const rows = await inspector.rows<{ data: string }>(`SELECT data FROM file_chunks WHERE file_id = '${id}'`);
    return Buffer.from(rows[0]?.data ?? '', 'base64');
  };
  const served = async () =>
    Buffer.from(await (await fetch(`${service.origin}/masters/farm/photos/${id}`)).arrayBuffer());
  const clean = await served();
  expect(await stored()).toEqual(clean);
  expect(clean.includes(SECRET)).toBe(false);
  // it is still turned to the right
  expect(clean.subarray(6, 12).toString()).toBe('Exif\0\0');
  expect(clean.subarray(-15)).toEqual(upload.raw.subarray(-15));

  const shown = await owner.get(`/profile/photos/${id}`);
  expect([shown.status, shown.text.includes(SECRET)]).toEqual([200, false]);
  expect((await owner.ask('DELETE', `/profile/photos/${id}`)).status).toBe(200);
});

test('shows errors on the form and keeps the input', async () => {
  const form = await formOldEnough();
  const before = await countStored();
  const cases: [Record<string, string>, string][] = [
    [{ description: '' }, 'description'],
    [{ description: ' \n ' }, 'description'],
    [{ description: '\u200b\u2800' }, 'description'],
    [{ client_email: '' }, 'client_email'],
    [{ client_email: 'anna' }, 'client_email'],
    [{ client_email: 'a\u200b@b.example' }, 'client_email'],
    [{ client_email: 'a@b.example\nBcc: c@d.example' }, 'client_email'],
    [{ description: 'я'.repeat(9_000) }, 'description'],
    [{ description: 'x'.repeat(15_000) }, 'description'],
    [{ budget: 'x'.repeat(201) }, 'budget'],
    [{ contact: 'x'.repeat(301) }, 'contact'],
  ];
  for (const [wrong, field] of cases) {
    const typed = { ...REQUEST, budget: '"><script>ran()</script>', ...wrong };
    const { status, html } = await send(form, { fields: typed });
    expect([wrong, status]).toEqual([wrong, 422]);
    expect(html).toContain(`id="${field}-fault"`);
    expect(html).not.toContain('<script');
    if (!('contact' in wrong)) expect(html).toContain(REQUEST.contact);
    expect(findForm(html).token).toBe(form.token);
  }
  expect(await countStored()).toBe(before);
});

test('stores nothing that only programs send: at once, with a made-up token or with the hidden field', async () => {
  const before = await countStored();
  const early = await openForm(service.origin, 'farm');
  const tooFast = await send(early);
  expect([tooFast.status, findForm(tooFast.html).token]).toEqual([422, early.token]);
  expect(tooFast.html).toContain(REQUEST.description);

  const form = await formOldEnough();
  const [issued, nonce, signature] = form.token.split('.') as [string, string, string];
  const sooner = (Date.now() - 60_000).toString(36);
  const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  for (const token of ['', 'x', `${issued}.${nonce}.${other}`, `${sooner}.${nonce}.${signature}`]) {
    const forged = await send({ ...form, token });
    expect([token, forged.status]).toEqual([token, 422]);
    // a page that was open for too long gets the same error and can be sent again
    expect(findForm(forged.html).token).not.toBe(token);
  }
  const trapped = await send(form, { fields: { ...REQUEST, leave_blank: 'https://buy.example' } });
  expect([trapped.status, trapped.headers.get('location')]).toEqual([303, '/masters/farm/sent?lang=en']);
  expect(await countStored()).toBe(before);

  await waitUntilAccepted(early);
  expect((await send(early)).status).toBe(303);
  expect(await countStored()).toBe(before + 1);
});

test('detects file types by content and serves files only as downloads', async () => {
  const form = await formOldEnough();
  const refused: [string, string][] = [
    ['part.stl', '<!doctype html><script>ran()</script>'],
    ['part.stl', 'solid <script>ran()</script>\nfacet normal 0 0 1\n'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="ran()"/>'],
    ['part.png', 'MZ\0\0'],
    ['part.3mf', '#!/bin/sh\nPK\x03\x04'],
  ];
  for (const [name, content] of refused) {
    const { status, html } = await send(form, { file: { name, content, type: 'model/stl' } });
    expect([name, status]).toEqual([name, 422]);
    expect(html).toContain('id="file-fault"');
  }
  const large = await send(form, {
    file: { name: 'large.png', content: Buffer.concat([PNG, Buffer.alloc(20_000_000)]) },
  });
  expect([large.status, large.html.includes('larger than 20 MB')]).toEqual([422, true]);
  const name = '..\\x\u202egnp."html"';
  expect((await send(form, { file: { name, content: PNG, type: 'text/html' } })).status).toBe(303);
  const [lead] = (await owner.get<{ items: { id: string; file: object }[] }>('/leads')).body.items;
  expect(lead?.file).toEqual({ name: expect.stringMatching(/^xgnp\..*\.png$/), kind: 'png', bytes: PNG.length });
  const path = `/leads/${lead?.id}/file`;
  const file = await owner.get(path);
  expect(file.status).toBe(200);
  expect(file.headers.get('content-type')).toBe('application/octet-stream');
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename="[^"\\\r\n]+"; filename\*=UTF-8''[\w.%-]+$/,
  );
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  expect(file.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
  const stranger = await openBrowser(service);
  expect((await stranger.get(path)).status).toBe(401);
  expect((await owner.delete(`/leads/${lead?.id}`)).status).toBe(204);
  expect((await owner.get(path)).status).toBe(404);
  expect(
    await inspector.rows("SELECT 1 FROM file_chunks c JOIN files f ON f.id = c.file_id WHERE f.purpose = 'lead'"),
  ).toEqual([]);
});

test('returns a large file unchanged', async () => {
  const content = Buffer.concat([PNG, Buffer.alloc(1_000_003, 7)]);
  expect((await send(await formOldEnough(), { file: { name: 'a.png', content } })).status).toBe(303);
  const [lead] = (await owner.get<{ items: { id: string }[] }>('/leads')).body.items;
  const answer = await fetch(`${service.origin}/console/api/leads/${lead?.id}/file`, {
    headers: { Cookie: `farmboard=${owner.cookie()}` },
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
});

test('treats a form sent twice as one request', async () => {
  const form = await formOldEnough();
  const before = await countStored();
  const me = somebody();
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(form, { headers: me })));
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
  expect(await countStored()).toBe(before + 1);
  expect((await send(form, { headers: me, fields: { ...REQUEST, budget: 'more' } })).status).toBe(303);
  expect(await countStored()).toBe(before + 2);
});

test('accepts five requests an hour per address, also concurrently, and per network for IPv6', async () => {
  await forgetLimits();
  const form = await formOldEnough();
  const before = await countStored();
  const statuses = async (address: (n: number) => string, length = 12) => {
    const asked = Array.from({ length }, (_, n) =>
      send(form, {
        headers: { 'X-Forwarded-For': address(n) },
        fields: { ...REQUEST, description: `${address(0)} ${n}` },
      }),
    );
    return (await Promise.all(asked)).map(({ status }) => status).sort();
  };
  const expected = [...Array(5).fill(303), ...Array(7).fill(429)];
  expect(await statuses(() => '192.0.2.1')).toEqual(expected);
  expect(await statuses((n) => `2001:db8:1:2::${n + 1}`)).toEqual(expected);
  // four times as many from an IPv6 /48
  const ofWider = [...Array(20).fill(303), ...Array(3).fill(429)];
  expect(await statuses((n) => `2001:db8:2:${n + 1}::1`, 23)).toEqual(ofWider);
  expect(await countStored()).toBe(before + 30);
  // the typed values are not lost
  const { html, headers } = await send(form, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
  expect(html).toContain(REQUEST.description);
  expect(headers.get('retry-after')).toBe('3600');
});

test('checks type and size of console uploads', async () => {
  const post = (raw: Uint8Array, type = 'application/octet-stream') =>
    owner.ask('POST', '/profile/photos', { raw, headers: { 'Content-Type': type } });
  expect((await post(PNG, 'image/png')).status).toBe(415);
  expect((await post(PNG, 'multipart/form-data; boundary=x')).status).toBe(415);
  expect((await post(Buffer.from('<svg/>'))).status).toBe(422);
  expect((await post(Buffer.concat([PNG, Buffer.alloc(2_000_000)]))).status).toBe(413);
  expect((await post(new Uint8Array())).status).toBe(422);
  const added = await Promise.all(Array.from({ length: 9 }, () => post(PNG)));
  // the account already has one
  expect(added.map(({ status }) => status).sort()).toEqual([...Array(7).fill(201), 422, 422]);
  expect((await owner.put('/profile/photo-order', { ids: [] })).status).toBe(422);
});

test('requires a unique slug and a headline to publish', async () => {
  expect((await owner.put('/profile', { headline: ' ' })).status).toBe(422);
  for (const slug of ['ab', '-abc', 'abc-', 'Abc', 'a/b', 'ы', 'sitemap.xml', 'a'.repeat(41)])
    expect([slug, (await owner.put('/profile', { slug })).status]).toEqual([slug, 422]);
});

/** `npm run bench:leads` always sends as many as the long form */
const BOTS = times(640, 5_000);
const AT_ONCE = 40;
/** `docs/guide/public-profile.md`: requests an account takes in a day */
const CAP = 50;

test(`stores no more than the limit from ${BOTS} bot posts`, async () => {
  await forgetLimits();
  const before = await countStored();
  const form = await formOldEnough();
  const fresh = await openForm(service.origin, 'farm');
  const [issued, nonce] = form.token.split('.') as [string, string];
  const old = `${(Date.now() - 25 * 60 * 60 * 1000).toString(36)}.${nonce}.${form.token.split('.')[2]}`;
  const statuses: Record<string, Record<number, number>> = {};
  const huge = 'x'.repeat(60_000);
  const address = (n: number, of: number) => ({ 'X-Forwarded-For': `10.1.${(n % of) >> 8}.${(n % of) & 255}` });
  const strategies: Record<string, (n: number) => Promise<Response>> = {
    'fills in what nobody sees': (n) =>
      sendForm(service.origin, form, { fields: { ...REQUEST, leave_blank: 'x' }, headers: address(n, 5_000) }),
    'too fast': async (n) =>
      sendForm(
        service.origin,
        n % 50 === 0 ? await openForm(service.origin, 'farm') : { ...fresh, token: `${fresh.token}` },
        {
          headers: address(n, 5_000),
          fields: { ...REQUEST, description: '' },
        },
      ),
    forged: (n) =>
      sendForm(
        service.origin,
        { ...form, token: `${issued}.${nonce}.${String(n).padEnd(43, 'A')}` },
        { headers: address(n, 5_000) },
      ),
    'an old time': (n) => sendForm(service.origin, { ...form, token: old }, { headers: address(n, 5_000) }),
    'good, from few addresses': (n) =>
      sendForm(service.origin, form, { fields: { ...REQUEST, description: `buy ${n}` }, headers: address(n, 4) }),
    'good, from many addresses': (n) =>
      sendForm(service.origin, form, { fields: { ...REQUEST, description: `sell ${n}` }, headers: address(n, 5_000) }),
    'much text': (n) =>
      sendForm(service.origin, form, { fields: { ...REQUEST, description: huge }, headers: address(n, 5_000) }),
  };
  const large = { name: 'part.png', content: Buffer.concat([PNG, Buffer.alloc(1_000_000)]) };
  strategies['a large file, forged'] = (n) =>
    sendForm(service.origin, { ...form, token: 'x' }, { file: large, headers: address(n, 5_000) })
      // the body is not read to its end, which a client may see as a broken connection
      .catch(() => new Response(null, { status: 299 }));
  const names = Object.keys(strategies);
  let next = 0;
  const work = async () => {
    for (let n = next++; n < BOTS; n = next++) {
      const name = names[n % names.length] as string;
      const answer = await (strategies[name] as (n: number) => Promise<Response>)(n);
      await answer.arrayBuffer();
      statuses[name] ??= {};
      const counts = statuses[name] as Record<number, number>;
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.stdout.write(`leads.test: ${JSON.stringify(statuses)}\n`);
  const stored = (await countStored()) - before;
  expect(stored).toBe(CAP);
  const taken = (name: string) => statuses[name]?.[303] ?? 0;
  expect(taken('too fast') + taken('forged') + taken('an old time') + taken('much text')).toBe(0);
  expect(taken('good, from few addresses')).toBeLessThanOrEqual(4 * 5);
  expect(
    Object.values(statuses)
      .flatMap((counts) => Object.keys(counts))
      .filter((status) => Number(status) >= 500),
  ).toEqual([]);
  expect((await owner.get<{ total: number }>('/leads?q=sell')).body.total).toBeLessThanOrEqual(CAP);
});
