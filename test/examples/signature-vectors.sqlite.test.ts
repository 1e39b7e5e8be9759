import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { sign, standardHeaders } from '../../backend/src/webhooks/formats/signed.ts';

const FILE = join(__dirname, '../../examples/receiver/signature-vectors.json');
/** Set where PHP is installed. */
const { FARMBOARD_PHP: hasPhp } = globalThis as { FARMBOARD_PHP?: boolean };

interface Vector {
  name: string;
  secret: string;
  text: string;
  times: number;
  'webhook-id': string;
  'webhook-timestamp': string;
  'x-svc-signature': string;
  'webhook-signature': string;
}
const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as Vector[];
/** Both signatures of each vector. */
const expected = vectors.map((vector) => [vector['x-svc-signature'], vector['webhook-signature']]);

test('there are 18, with an empty body and two of 64 kB', () => {
  expect(new Set(vectors.map(({ secret }) => secret)).size).toBe(18);
  const sizes = vectors.map(({ text, times }) => Buffer.byteLength(text) * times);
  expect(sizes).toContain(0);
  expect(sizes.filter((size) => size === 65_536)).toHaveLength(2);
});

test('Farmboard signs as published', () => {
  const ours = vectors.map(({ secret, text, times, ...headers }) => {
    const body = text.repeat(times);
    const attempted_at = Number(headers['webhook-timestamp']) * 1000;
    const standard = standardHeaders([secret], { event_id: headers['webhook-id'], attempted_at, body });
    return [sign(secret, body), standard['webhook-signature']];
  });
  expect(ours).toEqual(expected);
});

test('the standardwebhooks library signs as published', () => {
  const signatures = vectors.map(({ secret, text, times, ...headers }) =>
    new Webhook(secret).sign(
      headers['webhook-id'],
      new Date(Number(headers['webhook-timestamp']) * 1000),
      text.repeat(times),
    ),
  );
  expect(signatures).toEqual(expected.map(([, standard]) => standard));
});

test("Node's crypto signs as published", () => {
  const signatures = vectors.map(({ secret, text, times, ...headers }) => {
    const body = text.repeat(times);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    return [
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    ];
  });
  expect(signatures).toEqual(expected);
});

const PYTHON = `
import base64, hashlib, hmac, json, sys
def signatures(v):
    body = (v["text"] * v["times"]).encode()
    ours = "sha256=" + hmac.new(v["secret"].encode(), body, hashlib.sha256).hexdigest()
    signed = f'{v["webhook-id"]}.{v["webhook-timestamp"]}.'.encode() + body
    key = base64.b64decode(v["secret"].removeprefix("whsec_"), validate=True)
    return [ours, "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()]
print(json.dumps([signatures(v) for v in json.load(open(sys.argv[1]))]))
`;
const PHP = `
function signatures(array $v): array
{
    $body = str_repeat($v['text'], $v['times']);
    $ours = 'sha256=' . hash_hmac('sha256', $body, $v['secret']);
    $key = base64_decode(substr($v['secret'], strlen('whsec_')), true);
    $signed = "{$v['webhook-id']}.{$v['webhook-timestamp']}.$body";
    return [$ours, 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true))];
}
echo json_encode(array_map('signatures', json_decode(file_get_contents($argv[1]), true)));
`;
const programs: [language: string, program: string, args: string[]][] = [
  ['Python', 'python3', ['-c', PYTHON, FILE]],
  ...(hasPhp ? [['PHP', 'php', ['-r', PHP, FILE]] as [string, string, string[]]] : []),
];

test.each(programs)('%s signs as published', (_, program, args) => {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(expected);
});
