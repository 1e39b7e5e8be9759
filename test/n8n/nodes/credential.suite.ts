import { type AddressInfo, createServer } from 'node:net';
import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  IDataObject,
  INode,
  INodeProperties,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { farmboard } from '../../kit/service.ts';
import { type FakeServer, passOn, problem, startFakeServer } from './fake-server.ts';
import type { Credentials } from './harness.ts';
import { type Rig, startRig } from './support.ts';

const { ExecuteContext, RoutingNode } = require('n8n-core') as typeof import('n8n-core');
const { Workflow, createEmptyRunExecutionData } = require('n8n-workflow') as typeof import('n8n-workflow');

const TOKEN = 'pat_ofTheTests';

let rig: Rig;
let fake: FakeServer;
let credential: ICredentialType;

beforeAll(async () => {
  rig = await startRig();
  credential = rig.n8n.credentialType;
  fake = await startFakeServer();
});
afterAll(async () => {
  await fake.stop();
  await rig.close();
});

const NODE: INode = {
  id: 'temp',
  name: 'Temp-Node',
  type: 'noOp',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  credentials: { farmboardApi: { id: '1', name: 'Farmboard' } },
};

const makeWorkflow = (properties: INodeProperties[]) => {
  const type = {
    description: {
      displayName: '',
      name: 'noOp',
      group: [],
      version: 1,
      description: '',
      defaults: {},
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: 'farmboardApi', required: true }],
      properties,
    },
  };
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
  return {
    type,
    workflow: new Workflow({ nodes: [NODE], connections: {}, active: false, nodeTypes: nodeTypes as never }),
  };
};

/** As n8n's credentials helper applies a generic `authenticate`: every value is an expression over `$credentials`. */
function authenticate(data: Credentials, request: IDataObject): IDataObject {
  const { workflow } = makeWorkflow([]);
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

/** As n8n tests a credential (`credentials-tester.service`): the routing engine sends the request, then the rules are looked at. */
async function testCredential(data: Credentials): Promise<{ status: 'OK' | 'Error'; message?: string }> {
  const { request, rules } = credential.test as ICredentialTestRequest;
  const properties = [{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } }];
  const { type, workflow } = makeWorkflow(properties as INodeProperties[]);
  const additionalData = {
    credentialsHelper: {
      getParentTypes: () => [],
      isCredentialUsableByNode: () => true,
      getCredentials: async () => ({ id: '1', name: 'Farmboard', type: 'farmboardApi', data: '' }),
      getDecrypted: async () => ({ ...data }),
      preAuthentication: async () => undefined,
      runPreAuthentication: async () => undefined,
      authenticate: async (decrypted: Credentials, _type: string, options: IDataObject) =>
        authenticate(decrypted, options),
      getCredentialsProperties: () => credential.properties,
    },
    executionId: '1',
    restApiUrl: '',
    instanceBaseUrl: 'http://127.0.0.1:5678/',
    formWaitingBaseUrl: 'http://127.0.0.1:5678/form-waiting',
    webhookWaitingBaseUrl: 'http://127.0.0.1:5678/webhook-waiting',
    variables: {},
    hooks: { runHook: async () => {}, addHandler() {} },
  } as unknown as IWorkflowExecuteAdditionalData;
  const inputData = { main: [[{ json: {} }]] };
  const context = new ExecuteContext(
    workflow,
    NODE,
    additionalData,
    'internal',
    createEmptyRunExecutionData(),
    0,
    [],
    inputData,
    { node: NODE, data: {}, source: null },
    [],
  );
  const decrypted = { id: '1', name: 'Farmboard', type: 'farmboardApi', data: { ...data } };
  let answered: unknown;
  try {
    answered = await new RoutingNode(context, type as never, decrypted as never).runNode();
  } catch (error) {
    // n8n reads the status from the `cause`, which its error class loses in 2.11; the class itself has it as `httpCode`
    const { httpCode, message } = error as { httpCode: string | null; message: string };
    const rule = rules?.find((one) => one.type === 'responseCode' && String(one.properties.value) === httpCode);
    return { status: 'Error', message: rule?.properties.message ?? message };
  }
  const body = (answered as { json: unknown }[][])[0]?.[0]?.json;
  for (const rule of rules ?? []) {
    if (rule.type !== 'responseSuccessBody') continue;
    const { key, value, message } = rule.properties as { key: string; value: unknown; message: string };
    if ((body as Record<string, unknown> | undefined)?.[key] === value) return { status: 'Error', message };
  }
  return { status: 'OK' };
}

const withToken = (baseUrl: string, accessToken = TOKEN): Credentials => ({ baseUrl, accessToken });

describe('against the real service', () => {
  test.each([
    ['as it is', (url: string) => url],
    ['with a slash', (url: string) => `${url}/`],
    ['with slashes and blanks', (url: string) => ` \t${url}//\n`],
  ])('the address %s', async (_what, toUrl) => {
    expect(await testCredential(withToken(toUrl(rig.farm.service.baseUrl), rig.farm.token))).toEqual({ status: 'OK' });
  });

  test('a token with blanks around it', async () => {
    expect(await testCredential(withToken(rig.farm.service.baseUrl, ` ${rig.farm.token}\r\n`))).toEqual({
      status: 'OK',
    });
  });

  test('/me has account_id, which the test reads', async () => {
    const { status, body } = await rig.farm.client.get('/me');
    expect(status).toBe(200);
    expect(body.account_id).toEqual(expect.any(String));
  });

  test.each([
    ['mistyped', async () => `${rig.farm.token}x`],
    ['of nobody', async () => 'pat_nobodyEverHadThisOne'],
    ['missing', async () => ''],
    [
      'revoked',
      async () => {
        const { email, token } = await rig.farm.newAccount();
        expect((await farmboard(['token', 'revoke', '--email', email, '--name', 'test'], rig.farm.env)).code).toBe(0);
        return token;
      },
    ],
  ])('a token that is %s is told', async (_what, makeToken) => {
    const { status, message } = await testCredential(withToken(rig.farm.service.baseUrl, await makeToken()));
    expect(status).toBe('Error');
    expect(message).toContain('did not accept the access token');
  });

  test.each([
    ['without /api/v1', (origin: string) => origin],
    ['with /api alone', (origin: string) => `${origin}/api`],
    ['of its pages', (origin: string) => `${origin}/docs`],
  ])('an address %s is told', async (_what, toUrl) => {
    const { status, message } = await testCredential(withToken(toUrl(rig.farm.service.origin), rig.farm.token));
    expect(status).toBe('Error');
    expect(message).toContain('/api/v1');
  });
});

describe('the request', () => {
  beforeEach(() => fake.answerWith(() => ({ body: { account_id: 'a' } })));

  test.each(['', '/', '///', '  ', '/ \n'])('goes to /me below the address with %p behind it', async (tail) => {
    expect(await testCredential(withToken(` ${fake.baseUrl}${tail}`))).toEqual({ status: 'OK' });
    expect(fake.seen.map(({ method, target }) => `${method} ${target}`)).toEqual(['GET /api/v1/me']);
  });

  test('carries the token, trimmed', async () => {
    await testCredential(withToken(fake.baseUrl, `\t${TOKEN} \n`));
    expect(fake.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  test('does not follow a redirect, which would take the token along', async () => {
    const elsewhere = await startFakeServer(() => ({ body: { account_id: 'a' } }));
    fake.answerWith(() => ({ status: 302, headers: { Location: `${elsewhere.baseUrl}/me` } }));
    expect((await testCredential(withToken(fake.baseUrl))).status).toBe('Error');
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.stop();
  });
});

describe('the rules', () => {
  test.each([
    [401, 'access token'],
    [403, 'proxy'],
    [404, '/api/v1'],
    [429, 'Try again'],
  ])('%i', async (status, words) => {
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
  ])('%s answers 200 and is told', async (_what, answer) => {
    fake.answerWith(() => answer);
    const told = await testCredential(withToken(fake.baseUrl));
    expect(told.status).toBe('Error');
    expect(told.message).toContain('/api/v1');
  });

  test.each([500, 502, 503])('%i is an error', async (status) => {
    fake.answerWith(() => ({ status, body: 'x' }));
    expect((await testCredential(withToken(fake.baseUrl))).status).toBe('Error');
  });

  test('nothing that listens is an error', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const told = await testCredential(withToken(`http://127.0.0.1:${port}/api/v1`));
    expect(told.status).toBe('Error');
  });

  test.each(['', 'localhost:3000/api/v1', 'nonsense'])('an address %p is an error', async (baseUrl) => {
    expect((await testCredential(withToken(baseUrl))).status).toBe('Error');
  });

  test('every message says what to do, in English, without the words of a fault', () => {
    const { rules = [] } = credential.test as ICredentialTestRequest;
    const told = rules.map(({ properties }) => properties.message);
    expect(told).toHaveLength(5);
    for (const message of told) {
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(message).not.toMatch(/error|problem|fail/i);
    }
  });
});

describe('in other nodes', () => {
  test('it is generic, so that the HTTP Request node can use it: headers are added, others stay', () => {
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

  test('are the two of the issue, the token hidden', () => {
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

describe('what the nodes make of it', () => {
  const ask = () => rig.n8n.refusal({ resource: 'printer', operation: 'getAll' });

  afterEach(() => Object.assign(rig.n8n.credentials, withToken(rig.farm.service.baseUrl, rig.farm.token)));

  test.each(['', '/', '///', '  ', '/ \n'])('the address with %p behind it', async (tail) => {
    fake.answerWith((seen) => passOn(rig.farm.service.origin, seen));
    rig.n8n.credentials.baseUrl = ` ${fake.baseUrl}${tail}`;
    await rig.n8n.give({ resource: 'printer', operation: 'getAll' });
    expect(fake.seen.map(({ target }) => target)).toEqual(['/api/v1/printers?page=1&per_page=50']);
  });

  test.each(['', '   ', 'localhost:3000/api/v1', 'ftp://x/api/v1', 'http://', 'https:///api/v1', 'nonsense'])(
    'an address %p is told, and nothing is sent',
    async (baseUrl) => {
      rig.n8n.credentials.baseUrl = baseUrl;
      const error = await ask();
      expect(error.message).toContain('The Base URL of the Farmboard credential is not a web address');
      expect(error.description).toContain('http://localhost:3000/api/v1');
    },
  );
});
