import { createSecret } from '../../backend/src/webhooks/subscriptions/subscription.ts';
import { createToken, randomBase62 } from './crypto.ts';
import { createLogger, scrub } from './logger.ts';

const TOKEN = createToken('pat');
const AGENT = createToken('agt');
const SECRET = createSecret();
const SLACK = 'https://hooks.slack.com/services/T0FARM/B0BOARD/pathsecret';
const DISCORD = 'https://discord.com/api/webhooks/1234567890/pathsecret-with_more';
// one secret per alphabet: base64 for new ones, base64url for old ones
const BASE64 = 'whsec_a+b/c+d/e+f/g+h/i+j/k+l/m+n/o+p/q+r/s+t/u+v=';
const BASE64URL = 'whsec_a-b_c-d_e-f_g-h_i-j_k-l_m-n_o-p_q-r_s-t_u-v';
const PAY = createToken('pay');
const NOTIFICATION = `pnsec_${randomBase62(40)}`;
const STRIPE = `51Nx${randomBase62(95)}`;
const ARGON2 = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$YXJnb25oYXNoYXJnb25oYXNo';
const CHAT = randomBase62(26);
const SECRETS = [
  ...[TOKEN, AGENT, SECRET, PAY, NOTIFICATION, STRIPE, CHAT, 'c2FsdHNhbHRz', 'YXJnb25o'],
  ...['hunter2', 'pathsecret', 'q+r/s+t', 'q-r_s-t'],
];

/** Places in log lines where programs have leaked secrets. */
const TEXTS: [where: string, text: string][] = [
  ['alone', TOKEN],
  ['in a header', `Bearer ${TOKEN}`],
  ['in a query', `token=${TOKEN}&x=1`],
  ['after a line break', `first\n${TOKEN}`],
  ['after a tab', `tab\t${TOKEN}`],
  ['after a control character', `\u0001${TOKEN}`],
  ['in quotes', `"${AGENT}"`],
  ['between line breaks', `\r\n${SECRET}\r\n`],
  ['in brackets', `(${SECRET})`],
  ['a secret in base64', `${BASE64},`],
  ['a secret in base64url', `${BASE64URL}.`],
  ['a Slack address', SLACK],
  ['a Slack address in a sentence', `POST ${SLACK} failed`],
  ['a Slack address in capitals', SLACK.toUpperCase().replace('PATHSECRET', 'pathsecret')],
  ['a Discord address', DISCORD],
  ['an older Discord address', DISCORD.replace('discord.com', 'discordapp.com')],
  ['a Discord test address', DISCORD.replace('discord.com', 'ptb.discord.com')],
  ['a payment link', `https://farm.example/pay/${PAY}?lang=en`],
  ['the token of a payment link after a line break', `first\n${PAY}`],
  ['the secret of payment notifications', NOTIFICATION],
  ['a secret key of Stripe', `sk_live_${STRIPE}`],
  ['a restricted key of Stripe', `rk_live_${STRIPE}`],
  ['a test key of Stripe', `Bearer sk_test_${STRIPE}`],
  ['a restricted test key of Stripe', `rk_test_${STRIPE}`],
  ['a password hash', ARGON2],
  ['a Mattermost address', `https://chat.farm.example/hooks/${CHAT}`],
  ['a Mattermost address in a folder', `http://10.0.0.5:8065/mattermost/hooks/${CHAT} failed`],
  ['a Rocket.Chat address', `https://chat.farm.example/hooks/64f1c0ffee64f1c0ffee64f1/${CHAT}`],
  ['a path of Slack at another host', `https://chat.farm.example/services/T0FARM/B0BOARD/${CHAT}`],
  ['a path of Discord at another host', `https://relay.farm.example/api/webhooks/1234567890/${CHAT}-_x`],
  ['a path of Discord with a version', `/api/v10/webhooks/1234567890/${CHAT}`],
  ['a password in an address', 'postgres://farm:hunter2@db/farm'],
  ['a password in an address in a sentence', 'connect to postgres://farm:hunter2@db:5432/farm?sslmode=require failed'],
  ['a password without a user', 'redis://:hunter2@redis:6379'],
  ['a password with an @', 'https://user:p@ss-hunter2@host/'],
];

function written(log: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  try {
    log(createLogger('trace'));
  } finally {
    spy.mockRestore();
  }
  return lines;
}

function expectClean(lines: string[]): void {
  for (const line of lines) {
    for (const secret of SECRETS) expect(line).not.toContain(secret);
    // the line is still one JSON document
    expect(() => JSON.parse(line)).not.toThrow();
    expect(line).toMatch(/^[^\n]*\n$/);
  }
}

test.each(TEXTS)('is not written: %s', (_where, text) => {
  const cause = Object.assign(new Error(`cause ${text}`), { request: { url: text } });
  expectClean(
    written((logger) => {
      logger.info(text);
      logger.warn({ value: text }, 'a field');
      logger.debug({ a: { b: [{ c: text }] } }, 'nested');
      logger.info({ [text]: 1 }, 'as a name');
      logger.error({ err: new Error(text) }, 'an error');
      logger.error({ err: new Error('outer', { cause }) }, 'a cause');
      logger.error({ err: Object.assign(new Error('with fields'), { options: { headers: { authorization: text } } }) });
      logger.fatal(new Error(`stack ${text}`));
      logger.child({ bound: text }).info('bound');
    }),
  );
});

test('what was sent to Redis is not written with its error, because it may be the password', () => {
  const command = { name: 'auth', args: ['farm', 'hunter2'] };
  const err = Object.assign(new Error('WRONGPASS invalid username-password pair'), { command });
  const [line = ''] = written((logger) => logger.warn({ err }, 'lost the connection to Redis'));
  expectClean([line]);
  expect(JSON.parse(line).err.command).toEqual({ name: 'auth' });
});

test('names the kind of the hidden secret', () => {
  expect(scrub(`a ${TOKEN} b`)).toBe('a pat_[hidden] b');
  expect(scrub(`a ${SECRET} b`)).toBe('a whsec_[hidden] b');
  expect(scrub('postgres://farm:hunter2@db/farm')).toBe('postgres://farm:[hidden]@db/farm');
  expect(scrub(SLACK)).toBe('https://hooks.slack.com/[hidden]');
});

test.each([
  '{"url":"http://127.0.0.1:3000","email":"owner@farm.example"}',
  '{"path":"/api/v1/print-jobs","msg":"compat_something","at":"12:30 mail@x.example"}',
  '{"url":"https://discord.example/a/b","other":"http://slack.com/services/x"}',
  '{"url":"http://n8n.lan:5678/webhook/abc","name":"a@b"}',
  '{"url":"http://hub.lan/hooks/printer-7","path":"/api/v1/webhook-subscriptions/0b8f6f3e-5a5e-4a52-9d6c-0a5b8d3b6a11"}',
  '{"order_id":"4f2c7a1e-0b7d-4c59-9f43-6d1f7c0e8a25","session":"cs_test_a1B2c3D4e5F6g7H8i9J0","msg":"risk_test_pay_url"}',
  '{"column":"pay_encrypted","intent":"pi_3NxFarmboardPayment0001","path":"/services/Tools/Build"}',
])('keeps text that is not a secret: %s', (line) => {
  expect(scrub(line)).toBe(line);
});

test('hides two secrets in one line', () => {
  const clean = scrub(JSON.stringify({ a: TEXTS.map(([, text]) => text).join(' '), b: TEXTS }));
  for (const secret of SECRETS) expect(clean).not.toContain(secret);
  expect(() => JSON.parse(clean)).not.toThrow();
});

test('a line has its level, its time in ISO 8601 and no host name', () => {
  const [line] = written((logger) => logger.info({ port: 1 }, 'hello'));
  const entry = JSON.parse(line!) as Record<string, unknown>;
  expect(entry).toMatchObject({ level: 30, port: 1, msg: 'hello' });
  expect(entry.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Object.keys(entry).sort()).toEqual(['level', 'msg', 'port', 'time']);
});
