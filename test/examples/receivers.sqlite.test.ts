import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../kit/eventually.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { freePort } from '../kit/ports.ts';

const FOLDER = join(__dirname, '../../examples/receiver');
/** Set where PHP is installed. */
const { FARMBOARD_PHP: hasPhp } = globalThis as { FARMBOARD_PHP?: boolean };

const PROGRAMS: [language: string, start: (port: number) => [string, string[]]][] = [
  ['Node.js', () => [process.execPath, [join(FOLDER, 'receiver.mjs')]]],
  ['Python', () => ['python3', [join(FOLDER, 'receiver.py')]]],
  ['PHP', (port) => ['php', ['-S', `127.0.0.1:${port}`, join(FOLDER, 'receiver.php')]]],
];
const languages = PROGRAMS.filter(([language]) => hasPhp || language !== 'PHP');

let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
});
afterAll(() => farm.close());

/** A receiver as a process of its own, and the lines that it has written. */
async function start(of: (typeof PROGRAMS)[number], secret: string) {
  const port = await freePort();
  const [program, args] = of[1](port);
  const env = { ...process.env, WEBHOOK_SECRET: secret, RECEIVER_PORT: String(port) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  return {
    url: `http://127.0.0.1:${port}/`,
    lines,
    /** The first line that contains the text. */
    line: async (text: string) =>
      (await eventually(
        () => lines.find((line) => line.includes(text)),
        (line) => line !== undefined,
      )) as string,
    ended,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

describe.each(languages)('the receiver in %s', (...of) => {
  test('prints each event, and refuses what is not signed with its secret', async () => {
    const created = { url: 'http://127.0.0.1:9/', events: ['order.created'] };
    const { body } = await farm.client.post<{ id: string; secret: string }>('/webhook-subscriptions', created);
    const path = `/webhook-subscriptions/${body.id}`;
    const receiver = await start(of, body.secret);
    try {
      await receiver.line(receiver.url.slice(0, -1));
      expect((await farm.client.put(path, { url: receiver.url })).status).toBe(200);
      const { id } = await farm.order({ model_name: 'Кронштейн 👩‍🔧 "1/2"' });
      const event = new RegExp(`\\d{4}-\\d\\d-\\d\\dT\\S+Z #1 order\\.created \\{"id": ?"${id}"`);
      expect(await receiver.line('order.created')).toMatch(event);
      const attempt = await farm.client.post<{ status: string }>(`${path}/test`);
      expect([attempt.body.status, await receiver.line('webhook.test')]).toEqual(['succeeded', expect.any(String)]);

      const post = (headers: Record<string, string>, text = '{}') =>
        fetch(receiver.url, { method: 'POST', body: text, headers }).then(({ status }) => status);
      // bytes that are no text, as in a request from anybody
      for (const signature of ['', 'sha256=', 'sha256=\xff\xfe', `sha256=${'0'.repeat(64)}`])
        expect(await post({ 'X-Svc-Signature': signature })).toBe(401);
      expect(await post({})).toBe(401);

      await farm.client.post(`${path}/secret`);
      const refused = await farm.client.post<{ response_status: number }>(`${path}/test`);
      expect(refused.body.response_status).toBe(401);
      await receiver.line('refused');
      expect(receiver.lines.filter((line) => line.includes('webhook.test'))).toHaveLength(1);
    } finally {
      await receiver.stop();
      await farm.client.delete(path);
    }
  });

  test('says that its secret is missing, and accepts nothing', async () => {
    const receiver = await start(of, '');
    if (of[0] === 'PHP') {
      await receiver.line(receiver.url.slice(0, -1));
      expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(500);
      await receiver.line('Set WEBHOOK_SECRET');
      return receiver.stop();
    }
    expect((await receiver.ended)[0]).toBe(1);
    expect(receiver.lines.join()).toContain('Set WEBHOOK_SECRET');
  });
});
