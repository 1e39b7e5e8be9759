import { createHarness, type Farm } from '../../kit/n8n/harness.ts';
import { refusalOf, shipped } from '../../kit/n8n/trigger-farm.ts';

const { addressScope } = shipped<{ addressScope(url: string): string }>('shared/address-scope.js');
const { assertReachable } = shipped<{
  assertReachable(node: unknown, webhookUrl: string, baseUrl: string): void;
}>('trigger/reachable.js');

const LOOPBACK = [
  'http://localhost',
  'http://LOCALHOST:5678',
  'https://n8n.localhost',
  'http://127.0.0.1:5678',
  'http://127.1.2.3',
  'http://[::1]:5678',
  'http://0.0.0.0:5678',
  'http://user:secret@localhost:5678',
];
const PRIVATE = [
  'http://10.0.0.1',
  'http://10.255.255.255:5678',
  'http://172.16.0.1',
  'http://172.31.255.255',
  'http://192.168.1.20:5678',
  'http://169.254.1.1',
  'http://100.64.0.1',
  'http://100.127.255.255',
  'http://[fd00::1]:5678',
  'http://[fc00::1]',
  'http://[fe80::1]',
  'http://n8n:5678',
  'http://n8n',
  'http://host.docker.internal:5678',
  'http://nas.local',
  'http://nas.lan:5678',
  'http://box.home',
  'http://box.home.arpa',
  'http://box.localdomain',
];
const PUBLIC = [
  'https://n8n.example.com',
  'https://n8n.example.com:8443',
  'http://8.8.8.8',
  'http://9.255.255.255',
  'http://11.0.0.1',
  'http://172.15.0.1',
  'http://172.32.0.1',
  'http://192.167.1.1',
  'http://100.63.0.1',
  'http://100.128.0.1',
  'http://[2001:db8::1]:5678',
  'https://localhost.example.com',
  'https://local.example.com',
  'https://mylocalhost.com',
  'https://lan.example.com',
  'https://fd00.example.com',
  'https://example.internal.com',
  // names that begin like a private address
  'https://10.example.com',
  'https://127.example.com',
];
const PLACES: [string, string[]][] = [
  ['loopback', LOOPBACK],
  ['private', PRIVATE],
  ['public', PUBLIC],
];

const WEBHOOK = '/webhook/1/webhook';
const BASE = '/api/v1';
const node = { id: '1', name: 'Farmboard Trigger', type: 'x', typeVersion: 1, position: [0, 0], parameters: {} };

describe('the range of an address', () => {
  const all = PLACES.flatMap(([place, urls]) => urls.map((url) => [url, place] as const));
  test.each(all)('%s is %s', (url, place) => {
    for (const path of ['', '/', WEBHOOK, '?a=http://localhost', '/#@localhost'])
      expect(addressScope(`${url}${path}`)).toBe(place);
  });

  test('ignores paths that look like an address', () => {
    expect(addressScope('https://n8n.example.com/http://localhost/x')).toBe('public');
    expect(addressScope('https://n8n.example.com/a@127.0.0.1')).toBe('public');
  });
});

describe('the hint', () => {
  test('appears exactly when the service is public and the webhook is not', () => {
    for (const [addressScopeService, services] of PLACES) {
      for (const service of services) {
        for (const [addressScopeWebhook, webhooks] of PLACES) {
          for (const webhook of webhooks) {
            const check = () => assertReachable(node, `${webhook}${WEBHOOK}`, `${service}${BASE}`);
            const refused = addressScopeService === 'public' && addressScopeWebhook !== 'public';
            const context = `${webhook} × ${service}`;
            const expected = refused ? expect.stringContaining('Set WEBHOOK_URL on the n8n server') : 'fine';
            expect([context, attempt(check)]).toEqual([context, expected]);
            expect(attempt(check)).not.toContain('user:secret@');
          }
        }
      }
    }
  });
});

describe('publishing', () => {
  let farm: Farm;
  beforeAll(async () => {
    farm = await createHarness({ baseUrl: 'https://farm.example.com/api/v1/', accessToken: 'pat_unused' });
  });

  test.each([
    ['http://localhost:5678/webhook', 'only n8n itself can reach'],
    ['http://192.168.1.20:5678/webhook', 'in a private network'],
    ['http://n8n:5678/webhook', 'in a private network'],
  ])('explains at %s what to set for a public service, before sending anything', async (webhookBaseUrl, where) => {
    const trigger = farm.trigger({ events: ['*'] }, { webhookBaseUrl });
    const error = await refusalOf(trigger.publish(), []);
    // n8n shows the message or the description, by version, so both contain the remedy
    expect(error.message.startsWith(`Farmboard cannot send events to ${trigger.url()}. The webhook has `)).toBe(true);
    expect(error.description).toBe(error.message);
    expect(error.description).toContain('WEBHOOK_URL');
    expect(error.description).toContain(where);
    expect(error.description).toContain('https://farm.example.com/api/v1');
    expect(trigger.memory()).toStrictEqual({});

    // even if it was published before at a public address
    trigger.setMemory({ subscriptionId: 's', secret: 'whsec_known' });
    const again = await refusalOf(trigger.publish(), ['whsec_known']);
    expect(again.message).toBe(error.message);
    expect(trigger.memory()).toStrictEqual({ subscriptionId: 's', secret: 'whsec_known' });
  });
});

function attempt(check: () => void): string {
  try {
    check();
    return 'fine';
  } catch (error) {
    return `${error} ${(error as { description?: string }).description}`;
  }
}
