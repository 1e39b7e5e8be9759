import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOrder, openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { ACTION_TYPE, CREDENTIAL_TYPE, TOOL_TYPE, TRIGGER_TYPE } from '../kit/n8n/workflows.ts';

// The first steps of a user: nodes panel, credential test and dropdowns.

let scene: TestSetup;
/** Another program at the address, which answers 200 to everything. */
let stranger: Server;
let strangerUrl: string;

beforeAll(async () => {
  scene = await openTestSetup();
  stranger = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => stranger.close(resolve));
  await scene?.close();
});

test('loads both nodes and the tool without errors', async () => {
  const types = await scene.n8n.client.nodeTypes();
  const ours = types.map(({ name }) => name).filter((name) => name.startsWith('n8n-nodes-farmboard.'));
  expect(ours.sort()).toEqual([ACTION_TYPE, TOOL_TYPE, TRIGGER_TYPE].sort());
  expect(scene.n8n.log()).not.toMatch(/(error|fail|could not).*farmboard/i);
});

describe('the test of the credential', () => {
  const check = (change: Partial<TestSetup['credentialData']>) =>
    scene.n8n.client.testCredential(CREDENTIAL_TYPE, { ...scene.credentialData, ...change });

  test('succeeds', async () => {
    expect(await check({})).toMatchObject({ status: 'OK' });
  });

  test('succeeds with pasted slashes and blanks', async () => {
    const { baseUrl, accessToken } = scene.credentialData;
    expect(await check({ baseUrl: ` ${baseUrl}/// `, accessToken: ` ${accessToken}\n` })).toMatchObject({
      status: 'OK',
    });
  });

  test('succeeds for an address without scheme and path', async () => {
    expect(await check({ baseUrl: scene.gateway.origin.replace('http://', '') })).toMatchObject({ status: 'OK' });
  });

  test.each([
    ['a mistyped token', () => ({ accessToken: `${scene.token.slice(0, -1)}_` }), /did not accept the access token/],
    ['another program that answers 200', () => ({ baseUrl: strangerUrl }), /no Farmboard at/],
    ['nobody at the address', () => ({ baseUrl: 'http://127.0.0.1:9/api/v1' }), /nothing is listening there/],
    ['no web address', () => ({ baseUrl: 'farm' }), /not a web address/],
  ])('fails for %s with an explanation', async (_what, change, why) => {
    const { status, message } = await check(change());
    expect({ status, message }).toEqual({ status: 'Error', message: expect.stringMatching(why) });
    expect(message).not.toContain(scene.token);
  });
});

describe('the dropdowns', () => {
  let order: string;

  beforeAll(async () => {
    order = await createOrder(scene, { model_name: 'Unmistakable vase' });
    await createOrder(scene, { model_name: 'Something else' });
    await scene.api.post('/filaments', { name: 'PETG black', spool_count: 1 });
    await scene.api.post('/webhook-subscriptions', {
      url: 'http://127.0.0.1:9/x',
      events: ['order.created'],
      name: 'My hook',
    });
    await scene.farmboard('demo', '--email', scene.email);
  });

  const search = (parameter: string, resource: string, operation: string, methodName: string, filter?: string) =>
    scene.n8n.client.listSearch({
      nodeTypeAndVersion: { name: ACTION_TYPE, version: 1 },
      path: `parameters.${parameter}`,
      methodName,
      currentNodeParameters: { resource, operation },
      credentials: { [CREDENTIAL_TYPE]: scene.credential },
      ...(filter === undefined ? {} : { filter }),
    });

  test.each([
    ['orders', 'orderId', 'order', 'get', 'searchOrders'],
    ['printers', 'printerId', 'printer', 'get', 'searchPrinters'],
    ['filaments', 'filamentId', 'filament', 'get', 'searchFilaments'],
    ['webhooks', 'subscriptionId', 'webhook', 'get', 'searchSubscriptions'],
  ])('show the %s', async (_what, parameter, resource, operation, method) => {
    const { results } = await search(parameter, resource, operation, method);
    expect(results.length).toBeGreaterThan(0);
    for (const { name, value } of results) {
      expect(value).toMatch(/^[0-9a-f-]{36}$/);
      expect(name).not.toBe('');
    }
  });

  test('filter by search text', async () => {
    const { results } = await search('orderId', 'order', 'get', 'searchOrders', 'unmistakable');
    expect(results).toEqual([expect.objectContaining({ value: order })]);
  });
});
