import type {
  IAuthenticateGeneric,
  ICredentialTestFunction,
  ICredentialType,
  IDataObject,
  INode,
  INodeCredentialTestResult,
  INodeProperties,
} from 'n8n-workflow';
import { passOn, problem, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { type Credentials, TRIGGER_TYPE, TYPE } from '../../kit/n8n/harness.ts';
import { built, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';
import { freePort } from '../../kit/ports.ts';
import { farmboard } from '../../kit/service.ts';

const { CredentialTestContext } = require('n8n-core') as typeof import('n8n-core');
const { Workflow } = require('n8n-workflow') as typeof import('n8n-workflow');

const TOKEN = 'pat_ofTheTests';
const NOT_ACCEPTED = 'did not accept the access token';

const rig = forSuite(startRig);
const fake = forSuite(startFakeServer);
let credential: ICredentialType;

beforeAll(() => {
  credential = rig.n8n.credentialType;
});

const NODE: INode = {
  id: 'temp',
  name: 'Temp-Node',
  type: 'noOp',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
};

function makeWorkflow() {
  const description = { displayName: '', name: 'noOp', group: [], version: 1, properties: [], inputs: [], outputs: [] };
  const nodeTypes = { getByName: () => ({ description }), getByNameAndVersion: () => ({ description }) };
  return new Workflow({ nodes: [NODE], connections: {}, active: false, nodeTypes: nodeTypes as never });
}

/** Applies a generic `authenticate` like n8n's credentials helper: every value is an expression over `$credentials`. */
function authenticate(data: Credentials, request: IDataObject): IDataObject {
  const workflow = makeWorkflow();
  const resolve = (value: string) =>
    value.startsWith('=')
      ? String(
          workflow.expression.getSimpleParameterValue(
            NODE,
            value,
            'internal',
            { $credentials: data as never },
            undefined,
            '',
          ) ?? '',
        )
      : value;
  const { properties } = credential.authenticate as IAuthenticateGeneric;
  for (const [part, values] of Object.entries(properties)) {
    const changed = { ...(request[part] as IDataObject) };
    for (const [name, value] of Object.entries(values as Record<string, string>))
      changed[resolve(name)] = resolve(value);
    request[part] = changed;
  }
  return request;
}

/**
 * Tests a credential like n8n (`credentials-tester.service`): by the function of a node that names it in `testedBy`.
 */
async function testCredential(data: Credentials): Promise<INodeCredentialTestResult> {
  const { description, methods } = rig.n8n.typeOf(TYPE);
  const { testedBy } = description.credentials?.[0] ?? {};
  const test = methods?.credentialTest?.[String(testedBy)];
  const decrypted = { id: '1', name: 'Farmboard', type: 'farmboardApi', data: { ...data } };
  return await (test as ICredentialTestFunction).call(new CredentialTestContext() as never, decrypted);
}

const withToken = (baseUrl: string, accessToken = TOKEN): Credentials => ({ baseUrl, accessToken });

describe('against the real service', () => {
  test.each([
    ['mistyped', NOT_ACCEPTED, async () => `${rig.farm.token}x`],
    ['of nobody', NOT_ACCEPTED, async () => 'pat_nobodyEverHadThisOne'],
    ['missing', 'The access token is missing or malformed. Paste it again; it starts with pat_.', async () => ''],
    [
      'revoked',
      NOT_ACCEPTED,
      async () => {
        const { email, token } = await rig.farm.newAccount();
        expect((await farmboard(['token', 'revoke', '--email', email, '--name', 'test'], rig.farm.env)).code).toBe(0);
        return token;
      },
    ],
  ])('reports a token that is %s', async (_what, words, makeToken) => {
    const { status, message } = await testCredential(withToken(rig.farm.service.baseUrl, await makeToken()));
    expect(status).toBe('Error');
    expect(message).toContain(words);
  });

  test.each([
    ['without /api/v1', (origin: string) => origin],
    ['with /api alone', (origin: string) => `${origin}/api/`],
    ['of the console', (origin: string) => `${origin}/console/orders`],
    ['without a scheme', (origin: string) => origin.replace('http://', '')],
    ['without a scheme, but with a path', (origin: string) => `${origin.replace('http://', '')}/api/v1/`],
  ])('completes the URL %s', async (_what, toUrl) => {
    expect((await testCredential(withToken(toUrl(rig.farm.service.origin), rig.farm.token))).status).toBe('OK');
  });

  test('reports the URL of another page', async () => {
    const { status, message } = await testCredential(withToken(`${rig.farm.service.origin}/docs`, rig.farm.token));
    expect(status).toBe('Error');
    expect(message).toContain('/api/v1');
  });
});

describe('the request', () => {
  beforeEach(() => fake.answerWith(() => ({ body: { account_id: 'a' } })));

  test.each(['', '/', '///', '  ', '/ \n'])('requests /me under a URL with %p appended', async (tail) => {
    expect(await testCredential(withToken(` ${fake.baseUrl}${tail}`))).toMatchObject({ status: 'OK' });
    expect(fake.seen.map(({ method, target }) => `${method} ${target}`)).toEqual(['GET /api/v1/me']);
  });

  test('sends the trimmed token', async () => {
    await testCredential(withToken(fake.baseUrl, `\t${TOKEN} \n`));
    expect(fake.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('follows no redirect with the token', async () => {
    const elsewhere = await startFakeServer(() => ({ body: { account_id: 'a' } }));
    fake.answerWith(() => ({ status: 302, headers: { Location: `${elsewhere.baseUrl}/me` } }));
    expect((await testCredential(withToken(fake.baseUrl))).status).toBe('Error');
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.stop();
  });
});

describe('responses', () => {
  test.each([
    [401, 'access token'],
    [403, 'proxy'],
    [404, '/api/v1'],
    [429, 'Try again'],
  ])('explains %i', async (status, words) => {
    for (const answer of [problem(status, 'x'), { status, body: '<h1>No</h1>' }, { status }]) {
      fake.answerWith(() => answer);
      const told = await testCredential(withToken(fake.baseUrl));
      expect(told.status).toBe('Error');
      expect(told.message).toContain(words);
    }
  });

  test.each([
    ['a page of another program', { body: '<!doctype html><title>Router</title>' }],
    ['JSON of another program', { body: { hello: 'world' } }],
    ['nothing', {}],
    ['no content', { status: 204 }],
  ])('reports %s that answers 200', async (_what, answer) => {
    fake.answerWith(() => answer);
    const told = await testCredential(withToken(fake.baseUrl));
    expect(told.status).toBe('Error');
    expect(told.message).toContain('/api/v1');
  });

  test.each([500, 502, 503])('suggests a retry after %i', async (status) => {
    fake.answerWith(() => ({ status, body: 'x' }));
    const told = await testCredential(withToken(fake.baseUrl));
    expect(told).toMatchObject({ status: 'Error', message: expect.stringContaining('Try again') });
  });

  test('explains that nothing listens', async () => {
    const port = await freePort();
    expect(await testCredential(withToken(`http://127.0.0.1:${port}`))).toEqual({
      status: 'Error',
      message: `Farmboard cannot be reached at http://127.0.0.1:${port}/api/v1: nothing is listening there.`,
    });
  });

  test('explains an unknown host name', async () => {
    const told = await testCredential(withToken('http://nowhere.invalid/api/v1'));
    expect(told.status).toBe('Error');
    // without a name server the look-up itself fails
    expect(told.message).toMatch(/the host name (does not exist|could not be looked up)\.$/);
  });

  test.each(['', 'nonsense', 'ftp://x/api/v1'])('explains the invalid URL %p', async (baseUrl) => {
    expect(await testCredential(withToken(baseUrl))).toEqual({
      status: 'Error',
      message: expect.stringContaining('not a web address'),
    });
  });

  test.each(['', '  ', 'with a blank', 'токен'])('reports the token %p before sending', async (token) => {
    fake.answerWith(() => ({ body: { account_id: 'a' } }));
    const told = await testCredential(withToken(fake.baseUrl, token));
    expect(told).toMatchObject({ status: 'Error', message: expect.stringContaining('access token') });
    expect(fake.seen).toEqual([]);
  });

  test('never includes the token in a message', async () => {
    for (const answer of ['cut', { status: 500, body: TOKEN }, problem(401, 'unauthorized')] as const) {
      fake.answerWith(() => answer);
      expect((await testCredential(withToken(fake.baseUrl))).message).not.toContain(TOKEN);
    }
  });

  test('is declared by both nodes', () => {
    for (const type of [TYPE, TRIGGER_TYPE]) {
      const { description, methods } = rig.n8n.typeOf(type);
      expect(description.credentials?.[0]?.testedBy).toBe('farmboardApiTest');
      expect(methods?.credentialTest).toHaveProperty('farmboardApiTest');
    }
  });
});

describe('in other nodes', () => {
  test('adds its header in the HTTP Request node and keeps others', () => {
    expect((credential.authenticate as IAuthenticateGeneric).type).toBe('generic');
    const request = { url: 'x', headers: { Accept: 'application/json' }, qs: { a: 1 } };
    expect(authenticate(withToken('http://x', ` ${TOKEN} `), request)).toEqual({
      url: 'x',
      headers: { Accept: 'application/json', Authorization: `Bearer ${TOKEN}` },
      qs: { a: 1 },
    });
  });
});

describe('the fields', () => {
  const field = (name: string) => credential.properties.find((property) => property.name === name) as INodeProperties;

  test('are base URL and token, with the token hidden', () => {
    expect(credential.name).toBe('farmboardApi');
    expect(credential.properties.map(({ name }) => name)).toEqual(['baseUrl', 'accessToken']);
    expect(field('baseUrl').default).toBe('http://localhost:3000/api/v1');
    expect(field('accessToken').typeOptions?.password).toBe(true);
    expect(field('accessToken').default).toBe('');
    for (const { required, placeholder, description } of credential.properties) {
      expect(required).toBe(true);
      expect(placeholder).toMatch(/^e\.g\. /);
      expect(description).toBeTruthy();
    }
    expect(credential.documentationUrl).toMatch(/#credentials$/);
  });
});

describe('the base URL in the nodes', () => {
  const ask = () => rig.n8n.refusal({ resource: 'printer', operation: 'getAll' });

  afterEach(() => Object.assign(rig.n8n.credentials, withToken(rig.farm.service.baseUrl, rig.farm.token)));

  test.each(['', '/', '///', '  ', '/ \n'])('may have %p appended', async (tail) => {
    fake.answerWith((seen) => passOn(rig.farm.service.origin, seen));
    rig.n8n.credentials.baseUrl = ` ${fake.baseUrl}${tail}`;
    await rig.n8n.give({ resource: 'printer', operation: 'getAll' });
    expect(fake.seen.map(({ target }) => target)).toEqual(['/api/v1/printers?page=1&per_page=50']);
  });

  test.each([
    ['', '/api/v1'],
    ['/', '/api/v1'],
    ['/api', '/api/v1'],
    ['/console/?order=1', '/api/v1'],
    ['/behind/api/v1', '/behind/api/v1'],
    ['/interface', '/interface'],
  ])('may have the path %p under %p', async (given, asked) => {
    fake.answerWith(() => ({ body: { items: [], total: 0 } }));
    rig.n8n.credentials.baseUrl = `${fake.origin}${given}`;
    await rig.n8n.give({ resource: 'printer', operation: 'getAll' });
    expect(fake.seen[0]?.target.replace(/\?.*/, '')).toBe(`${asked}/printers`);
  });

  test.each([
    ['localhost:3000', 'http://localhost:3000/api/v1'],
    ['192.168.1.5', 'http://192.168.1.5/api/v1'],
    ['[::1]:3000/', 'http://[::1]:3000/api/v1'],
    ['farm:3000', 'http://farm:3000/api/v1'],
    ['farm.local', 'http://farm.local/api/v1'],
    ['farm.example.com', 'https://farm.example.com/api/v1'],
    ['farm.example.com:8443/farm/api/v1/', 'https://farm.example.com:8443/farm/api/v1'],
  ])('is completed from %p to %p', (given, complete) => {
    const { completeBaseUrl } = built<{ completeBaseUrl(value: unknown): unknown }>('nodes/Farmboard/shared/base-url');
    expect(completeBaseUrl(given)).toBe(complete);
  });

  test.each([
    ...['https://me:hunter2@farm.example', 'https://me:hunter2@farm.example/api/v1', 'https://hunter2@farm.example'],
    ...[
      'HTTPS://me:hunter2@[::1]:3000',
      'me:hunter2@farm.example',
      'hunter2@farm.example:3000',
      'https://:hunter2@farm',
    ],
    ...['https:/\\me:hunter2@farm.example', 'https:\\\\me:hunter2@farm.example', 'https://farm.example\\me:hunter2'],
    ...['https:me:hunter2@farm.example', '//me:hunter2@farm.example', 'https://me:hun/ter2@farm.example'],
    ...['https://me:hunter2%40farm.example', 'https://hunter2%40farm.example', 'https://me%3Ahunter2%40farm.example'],
    ...[
      'https://me:hunter2\uff20farm.example',
      'https://hunter2\ufe6bfarm.example',
      'https://farm.example\uff3chunter2',
    ],
    ...['https://proxy.example/https://me:hunter2@farm/api/v1', 'https://me:hunter2@farm.example/console'],
    ...['https://farm.example/api/v1?key=hunter2', 'https://farm.example/api/v1#hunter2', 'https://farm:hunter2'],
    ...[
      'https://farm.example/ hunter2',
      'https://me:hunter2',
      'pat_hunter2hunter2',
      'https://pat_hunter2hunter2/api/v1',
    ],
    ...['https://farm.example/api/v1/pat_hunter2hunter2', 'https://farm.example/Bearer%20pat%5Fhunter2hunter2'],
  ])('is refused without repeating it, before anything is sent, if it contains a secret: %p', async (baseUrl) => {
    rig.n8n.credentials.baseUrl = baseUrl;
    const { message, description } = await ask();
    const tested = await testCredential(withToken(baseUrl));
    expect(tested.status).toBe('Error');
    expect(message).toMatch(/^The Base URL of the Farmboard credential (must not contain|contains|is not)/);
    expect(`${message}\n${description}\n${tested.message}`).not.toMatch(/hunter2|hun\/ter2/);
  });

  const LONG = 10_000;

  test.each([
    ['', ''],
    ['   ', '   '],
    ['ftp://x/api/v1', 'ftp://x/api/v1'],
    ['http://', 'http://'],
    ['https:///api/v1', 'https:///api/v1'],
    ['nonsense', 'nonsense'],
    ['many slashes', `http://localhost${'/'.repeat(LONG)}`],
    ['many slashes before a letter', `http://localhost${'/'.repeat(LONG)}x`],
    ['many names', `${'a.'.repeat(LONG)}a:x`],
    ['many paths', `http://localhost${'/console'.repeat(LONG)}\n/x`],
  ])('is refused before anything is sent: %p', async (_what, baseUrl) => {
    rig.n8n.credentials.baseUrl = baseUrl;
    const error = await ask();
    expect(error.message).toContain('The Base URL of the Farmboard credential is not a web address');
    expect(error.description).toContain('http://localhost:3000/api/v1');
  });
});
