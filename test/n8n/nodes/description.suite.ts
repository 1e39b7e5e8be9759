import type { IDataObject, INodeProperties, INodePropertyMode, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { startFakeServer } from '../../kit/n8n/fake-server.ts';
import { createHarness, TRIGGER_TYPE, TYPE } from '../../kit/n8n/harness.ts';
import { execute, fieldsOf, OPERATIONS } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

const NAMES = Object.keys(OPERATIONS).map((name) => name.split(' ') as [string, string]);

const fake = forSuite(() =>
  startFakeServer(({ method, path, headers }) =>
    /(label|pdf)$/.test(path)
      ? { headers: { 'content-type': headers.accept }, body: 'a file' }
      : method === 'DELETE'
        ? { status: 204 }
        : { body: { id: ID, items: [{ id: ID }], total: 1, secret: 'whsec_x', results: [{ id: ID, status: 200 }] } },
  ),
);
const n8n = forSuite(() => createHarness({ baseUrl: fake.baseUrl, accessToken: 'pat_x' }));
let node: INodeType;
let properties: INodeProperties[];

beforeAll(() => {
  node = n8n.typeOf(TYPE);
  properties = node.description.properties;
});

/** Every field, including those in collections. */
const everyField = (): INodeProperties[] =>
  properties.flatMap((field) =>
    field.type === 'collection' ? [field, ...(field.options as INodeProperties[])] : [field],
  );

/** Every list of choices: of the node, of fields, and the fields of collections. */
const everyList = (): { at: string; names: string[] }[] =>
  everyField()
    .filter(({ options }) => options !== undefined)
    .map(({ name, options = [], type }) => ({
      at: name,
      names: options.map((one) => (type === 'collection' ? (one as INodeProperties).displayName : one.name)),
    }));

const operationField = (resource: string): INodeProperties => {
  const found = properties.find(
    ({ name, displayOptions }) => name === 'operation' && displayOptions?.show?.resource?.includes(resource),
  );
  if (!found) throw new Error(`there is no list of operations of ${resource}`);
  return found;
};

const operationOf = (resource: string, operation: string): INodePropertyOptions => {
  const found = operationField(resource).options?.find((one) => (one as INodePropertyOptions).value === operation);
  if (!found) throw new Error(`there is no ${resource} ${operation}`);
  return found as INodePropertyOptions;
};

describe('names', () => {
  test('of node, credential, resources and operations stay stable for stored workflows', () => {
    expect(node.description.name).toBe('farmboard');
    expect(n8n.typeOf(TRIGGER_TYPE).description.name).toBe('farmboardTrigger');
    expect(node.description.credentials).toMatchObject([{ name: 'farmboardApi', required: true }]);
    const valuesOf = ({ options = [] }: INodeProperties) => options.map((one) => (one as INodePropertyOptions).value);
    const offered = valuesOf(properties[0] as INodeProperties).flatMap((resource) =>
      valuesOf(operationField(String(resource))).map((operation) => `${resource} ${operation}`),
    );
    expect(offered.sort()).toEqual(Object.keys(OPERATIONS));
  });

  test('of fields stay stable for stored workflows', () => {
    const names = new Set(everyField().map(({ name }) => name));
    for (const name of [
      'orderId',
      'printerId',
      'filamentId',
      'subscriptionId',
      'workflowStatus',
      'grams',
      'returnAll',
      'limit',
      'filters',
      'options',
    ]) {
      expect(names).toContain(name);
    }
  });
});

describe('the node', () => {
  test('is usable as a tool, unlike the trigger', () => {
    expect(node.description.usableAsTool).toBe(true);
    expect(n8n.typeOf(TRIGGER_TYPE).description).not.toHaveProperty('usableAsTool');
  });

  test('starts with resource and operation, without expressions', () => {
    expect(properties[0]?.name).toBe('resource');
    expect(properties[0]?.noDataExpression).toBe(true);
    const rest = properties.slice(1);
    const operations = rest.filter(({ name }) => name === 'operation');
    expect(rest.slice(0, operations.length)).toEqual(operations);
    for (const field of operations) expect(field.noDataExpression).toBe(true);
  });

  test('has a subtitle', () => {
    for (const [resource, operation] of NAMES) {
      const { name } = operationOf(resource, operation);
      expect(n8n.subtitleOf(TYPE, { resource, operation })).toBe(`${name.toLowerCase()}: ${resource}`);
    }
    const trigger = (events: string[]) => n8n.subtitleOf(TRIGGER_TYPE, { events });
    expect(trigger(['*'])).toBe('All Events');
    expect(trigger(['filament.low_stock', 'lead.created'])).toBe('Filament Is Low, Request Received');
    expect(trigger(['unknown'])).toBe('unknown');
    expect(node.description.description).toBeTruthy();
    expect(node.description.defaults).toEqual({ name: 'Farmboard' });
    expect(node.description.version).toBe(1);
  });

  test('is found by the search terms of either node', () => {
    const words = node.description.codex?.alias;
    expect(words).toContain('Low Stock');
    expect(n8n.typeOf(TRIGGER_TYPE).description.codex?.alias).toEqual(words);
  });

  test('has icons for light and dark themes', () => {
    // the result of n8n's loader for `icon` once it has found the files
    const { light, dark } = node.description.iconUrl as { light: string; dark: string };
    expect(light).toMatch(/\.svg$/);
    expect(dark).toMatch(/\.svg$/);
    expect(light).not.toBe(dark);
  });
});

describe('every operation', () => {
  test.each(NAMES)('%s %s has an action in sentence case and says more in its description', (resource, operation) => {
    const { name, action, description } = operationOf(resource, operation);
    expect(name).toMatch(/^[A-Z][a-z]+( (in|or|PDF|[A-Z][a-z]+))*$/);
    expect(action).toMatch(/^[A-Z][a-z]+( (PDF|[a-z]+))*$/);
    expect(action?.toLowerCase()).toContain(resource);
    expect(description).toBeTruthy();
    expect(description).not.toMatch(/\.$/);
    expect(description?.toLowerCase()).not.toBe(action?.toLowerCase());
  });

  test('says so if it is irreversible', () => {
    for (const resource of ['order', 'webhook']) {
      expect(operationOf(resource, 'delete').description).toContain('for good');
    }
  });

  test.each(NAMES)('%s %s shows what it requires, and nothing else is required', (resource, operation) => {
    const required = fieldsOf(properties, resource, operation).filter((field) => field.required);
    expect(required.map(({ name }) => name).sort()).toEqual(OPERATIONS[`${resource} ${operation}`]?.required);
  });

  test.each(NAMES)('%s %s reads every field that it shows, and no other', async (resource, operation) => {
    const given: IDataObject = {
      modelName: 'x',
      orderId: ID,
      printerId: ID,
      filamentId: ID,
      subscriptionId: ID,
      leadId: ID,
      deliveryId: ID,
      invoiceId: ID,
      workflowStatus: 'done',
      grams: 1,
      url: 'http://x',
      source: 'shop',
      externalId: '1',
      name: 'x',
      remainingGrams: 1,
      entryId: ID,
      updateFields: resource === 'order' ? { orderNotes: 'x' } : { name: 'x' },
    };
    // ignores what is shown only with another choice
    const shown = fieldsOf(properties, resource, operation)
      .filter(({ displayOptions }) => !displayOptions?.show?.output && displayOptions?.show?.source?.[0] !== 'webhook')
      .map(({ name }) => name);
    const parameters = Object.fromEntries(Object.entries(given).filter(([name]) => shown.includes(name)));
    const context = n8n.execution({ resource, operation, ...parameters } as IDataObject, { executionId: 'e' });
    const read = new Set<string>();
    const getNodeParameter = context.getNodeParameter.bind(context) as (...all: unknown[]) => unknown;
    Object.defineProperty(context, 'getNodeParameter', {
      value: (name: string, ...rest: unknown[]) => {
        read.add(name.split('.')[0] as string);
        return getNodeParameter(name, ...rest);
      },
    });
    await execute(n8n, context);
    read.delete('resource');
    read.delete('operation');
    expect([...read].sort()).toEqual([...new Set(shown)].sort());
  });

  test('has unique field names', () => {
    for (const [resource, operation] of NAMES) {
      const names = fieldsOf(properties, resource, operation).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('lists', () => {
  test.each(NAMES.filter(([, operation]) => ['getAll', 'getHistory', 'getBatches', 'getLedger'].includes(operation)))(
    '%s %s has Return All and Limit as n8n names them',
    (resource, operation) => {
      const fields = fieldsOf(properties, resource, operation);
      expect(fields.find(({ name }) => name === 'returnAll')).toMatchObject({
        displayName: 'Return All',
        type: 'boolean',
        default: false,
        description: 'Whether to return all results or only up to a given limit',
      });
      expect(fields.find(({ name }) => name === 'limit')).toMatchObject({
        displayName: 'Limit',
        type: 'number',
        default: 50,
        typeOptions: { minValue: 1 },
        description: 'Max number of results to return',
        displayOptions: { show: { returnAll: [false], resource: [resource], operation: [operation] } },
      });
      if (operation === 'getAll') expect(operationOf(resource, operation).name).toBe('Get Many');
    },
  );
});

describe('the output', () => {
  const WITH_OUTPUT = NAMES.filter(
    ([resource, operation]) =>
      !['webhook', 'event', 'farm'].includes(resource) &&
      !['delete', 'getHistory', 'getBatches', 'getLabel', 'getLedger', 'getPdf', 'setStatusInBulk'].includes(operation),
  );

  test.each(WITH_OUTPUT)('%s %s has a choice of what it outputs', (resource, operation) => {
    const names = fieldsOf(properties, resource, operation).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['output', 'outputFields']));
  });

  test('requires the grams of Consume', () => {
    const grams = fieldsOf(properties, 'filament', 'consume').find(({ name }) => name === 'grams');
    expect(grams).toMatchObject({ type: 'string', default: '', required: true });
  });
});

describe('Batching', () => {
  const WRITES = NAMES.filter(([, operation]) => !operation.startsWith('get') && operation !== 'setStatusInBulk');

  test.each(WRITES)('are offered by %s %s', (resource, operation) => {
    const options = fieldsOf(properties, resource, operation).find(({ name }) => name === 'options');
    const batching = ((options?.options ?? []) as INodeProperties[]).find(({ name }) => name === 'batching');
    expect(batching?.options?.[0]).toMatchObject({
      name: 'batch',
      values: [{ displayName: 'Items per Batch' }, { displayName: 'Batch Interval (Milliseconds)' }],
    });
  });
});

describe('every field', () => {
  test('has a display name in title case and a description', () => {
    for (const { displayName, description, name, type } of everyField()) {
      expect([name, displayName]).toEqual([name, expect.stringMatching(/^[A-Z]/)]);
      if (type === 'collection' || name === 'resource' || name === 'operation') continue;
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.*\S$/)]);
    }
  });

  test('starts its description with Whether if it is a boolean', () => {
    const booleans = everyField().filter(({ type }) => type === 'boolean');
    expect(booleans.length).toBeGreaterThan(5);
    for (const { name, description } of booleans)
      expect([name, description]).toEqual([name, expect.stringMatching(/^Whether /)]);
  });

  test('shows an example in its placeholder', () => {
    const shown = everyField().flatMap(({ name, placeholder, type, modes = [] }) => [
      ...(placeholder !== undefined && !['collection', 'fixedCollection'].includes(type) ? [[name, placeholder]] : []),
      ...modes.filter(({ type: kind }) => kind === 'string').map((mode) => [`${name} ${mode.name}`, mode.placeholder]),
    ]);
    expect(shown.length).toBeGreaterThan(10);
    for (const [name, placeholder] of shown)
      expect([name, placeholder]).toEqual([name, expect.stringMatching(/^e\.g\. \S/)]);
  });

  test('shows a key of its own operation if it is an Idempotency Key', () => {
    const examples = everyField().flatMap((field) => (field.name === 'idempotencyKey' ? [field.placeholder] : []));
    expect(examples).toHaveLength(6);
    expect(new Set(examples).size).toBe(6);
  });

  test('has a default that is one of its values', () => {
    for (const { name, type, default: value, options = [], typeOptions } of everyField()) {
      const values = options.map((one) => (one as INodePropertyOptions).value);
      const at = (fits: boolean) => expect([name, value, fits]).toEqual([name, value, true]);
      if (type === 'boolean') at(typeof value === 'boolean');
      else if (type === 'number') {
        at(typeof value === 'number' && value >= ((typeOptions?.minValue as number | undefined) ?? 0));
      } else if (type === 'options')
        at(typeOptions?.loadOptionsMethod ? value === '' : values.includes(value as string));
      else if (type === 'multiOptions')
        at(Array.isArray(value) && value.every((one) => values.includes(one as string)));
      else if (type === 'collection') expect(value).toEqual({});
      else if (type === 'fixedCollection') expect(value).toEqual({ batch: {} });
      else if (type === 'resourceLocator') expect(value).toEqual({ mode: 'list', value: '' });
      else if (type === 'resourceMapper') expect(value).toEqual({ mappingMode: 'defineBelow', value: null });
      else if (type === 'color') at(/^#[0-9a-f]{6}$/i.test(String(value)));
      else at(value === '' || name === 'binaryPropertyName');
    }
  });

  test('names existing methods', () => {
    const called = everyField().flatMap(({ typeOptions, modes = [] }) => [
      ...(typeOptions?.loadOptionsMethod ? [['loadOptions', typeOptions.loadOptionsMethod]] : []),
      ...modes.flatMap((mode) =>
        mode.typeOptions?.searchListMethod ? [['listSearch', mode.typeOptions.searchListMethod]] : [],
      ),
      ...(typeOptions?.resourceMapper?.resourceMapperMethod
        ? [['resourceMapping', typeOptions.resourceMapper.resourceMapperMethod]]
        : []),
    ]) as ['loadOptions' | 'listSearch' | 'resourceMapping', string][];
    expect(called.length).toBeGreaterThan(5);
    for (const [kind, method] of called) expect(node.methods?.[kind]).toHaveProperty(method);
    for (const kind of ['loadOptions', 'listSearch', 'resourceMapping'] as const) {
      for (const method of Object.keys(node.methods?.[kind] ?? {})) expect(called).toContainEqual([kind, method]);
    }
  });
});

describe('choices', () => {
  test('are sorted by display name', () => {
    for (const { at, names } of everyList()) {
      expect([at, names]).toEqual([at, [...names].sort((a, b) => a.localeCompare(b))]);
    }
  });

  test('have unique names and values', () => {
    for (const { options = [], name } of everyField()) {
      const offered = options.filter((one) => !('type' in one && one.type === 'hidden'));
      expect([name, new Set(offered.map((one) => one.name)).size]).toEqual([name, offered.length]);
    }
  });

  test('contain no emoji', () => {
    const shown = JSON.stringify([properties, node.description.displayName, node.description.description]);
    expect(shown).not.toMatch(/\p{Extended_Pictographic}/u);
  });
});

describe('locators', () => {
  const locators = () => everyField().filter(({ type }) => type === 'resourceLocator');

  test('offer list, ID and URL modes, and labels for orders', () => {
    expect(locators().length).toBeGreaterThan(5);
    for (const { name, modes = [] } of locators()) {
      const expected = ['list', 'id', 'url', ...(name === 'orderId' ? ['label'] : [])];
      expect([name, modes.map((mode) => mode.name)]).toEqual([name, expected]);
      expect(modes[0]?.typeOptions?.searchable).toBe(true);
    }
  });

  const accepts = ({ validation = [] }: INodePropertyMode, text: string): boolean =>
    validation.every(
      (one) => typeof one === 'function' || new RegExp(String((one.properties as { regex: string }).regex)).test(text),
    );

  test('validate input in the editor', () => {
    for (const { name, modes = [] } of locators()) {
      for (const mode of modes.filter(({ type }) => type === 'string')) {
        const example = (mode.placeholder as string).replace(/^e\.g\. /, '');
        expect([name, mode.name, accepts(mode, example)]).toEqual([name, mode.name, true]);
        expect([name, mode.name, accepts(mode, ` ${example}\n`)]).toEqual([name, mode.name, true]);
        for (const wrong of ['../x', '17', 'nonsense', ID.slice(1), `${ID}${ID}`]) {
          expect([name, mode.name, wrong, accepts(mode, wrong)]).toEqual([name, mode.name, wrong, false]);
        }
      }
      const byId = modes.find((mode) => mode.name === 'id') as INodePropertyMode;
      const byUrl = modes.find((mode) => mode.name === 'url') as INodePropertyMode;
      // among the console's pages, only an order's has its id in the query
      for (const address of [
        `http://farm.lan/console/?order=${ID}`,
        `http://farm.lan/console/?q=x&order=${ID}&closed=1`,
      ]) {
        expect([name, accepts(byUrl, address)]).toEqual([name, name === 'orderId']);
      }
      // only orders have labels
      expect([name, accepts(byId, `ORDER-${ID}`)]).toEqual([name, name === 'orderId']);
    }
  });
});
