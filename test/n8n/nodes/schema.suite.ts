import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { IDataObject } from 'n8n-workflow';
import type { OpenApiDocument } from '../../kit/checker.ts';
import type { Client } from '../../kit/client.ts';
import { openForm, sendForm, waitUntilAccepted } from '../../kit/leads.ts';
import type { Farm } from '../../kit/n8n/harness.ts';
import { built, OPERATIONS, startRig } from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';
import { issueInvoice, openSeller } from '../../kit/payments.ts';
import { startReceiver } from '../../kit/receiver.ts';

const { makeSchemas, makeSamples, SCHEMA_FOLDER, SAMPLES_FILE } = require('../make-schemas.cjs') as {
  makeSchemas(openApi: OpenApiDocument): Record<string, string>;
  makeSamples(openApi: OpenApiDocument): string;
  SCHEMA_FOLDER: string;
  SAMPLES_FILE: string;
};
const ROOT = resolve(__dirname, '../../..');

const rig = forSuite(startRig);
let farm: Farm;
let client: Client;
const receiver = forSuite(startReceiver);

beforeAll(async () => {
  farm = rig.n8n;
  client = rig.farm.client;
  await rig.farm.printers();
  // records that the API only reads
  const owner = await rig.farm.console();
  await owner.put('/profile', { slug: 'schema-farm', is_public: true, headline: 'Schema farm' });
  const form = await openForm(rig.farm.origin, 'schema-farm');
  await waitUntilAccepted(form);
  await sendForm(rig.farm.origin, form);
  const lines = [{ description: 'Bracket', quantity: 1, unit_price: 100 }];
  await owner.post('/invoices', { customer_name: 'Vera', lines });
  const seller = await openSeller(rig.farm.service, rig.farm.email);
  await issueInvoice(seller, { customer_name: 'Vera', lines });
});

interface EventBody {
  properties: { data: { $ref: string } };
}

const filesBelow = (where: string): string[] =>
  readdirSync(where, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(where, join(entry.parentPath, entry.name)))
    .sort();

const readSchema = (name: string): AnySchemaObject => JSON.parse(readFileSync(join(SCHEMA_FOLDER, name), 'utf8'));

/** Of subscriptions: only some that were created with a key, filtered, given a new secret or enabled again have them. */
const OPTIONAL = new Set(['client_key', 'warnings', 'previous_secret_valid_until', 'first_missed_event']);

/** The schema with all of its fields required and no others allowed. */
function toStrict(schema: AnySchemaObject): AnySchemaObject {
  const { properties, items } = schema;
  if (items) return { ...schema, items: toStrict(items) };
  if (!properties) return schema;
  const strict = Object.entries(properties as Record<string, AnySchemaObject>).map(([name, property]) => [
    name,
    toStrict(property),
  ]);
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: Object.keys(properties).filter((name) => !OPTIONAL.has(name)),
    additionalProperties: false,
  };
}

/** The fields of the data of one kind of event. */
const dataOf = (schema: AnySchemaObject, event: string): Record<string, AnySchemaObject> =>
  Object.fromEntries(
    Object.entries(schema.properties.data.properties as Record<string, AnySchemaObject>).filter(([, { description }]) =>
      description.split(', ').includes(event),
    ),
  );

/** The schema for one kind of event. */
function ofEvent(schema: AnySchemaObject, event: string): AnySchemaObject {
  const data = { ...schema.properties.data, properties: dataOf(schema, event) };
  return { ...schema, properties: { ...schema.properties, data } };
}

// one for all schemas, because it compiles the metaschema
const ajv = new Ajv2020({ strictTypes: false, allErrors: true, keywords: ['version'] });
addFormats.default(ajv);

/** @returns how an output violates the schema; null if it doesn't */
function toCheck(schema: AnySchemaObject): (output: unknown) => string | null {
  const fits = ajv.compile(schema);
  return (output) => (fits(output) ? null : `${ajv.errorsText(fits.errors)}\n${JSON.stringify(output, null, 2)}`);
}

describe('the schema files', () => {
  test('are equal to what make-schemas.cjs generates (else: node test/n8n/make-schemas.cjs)', () => {
    const wanted = makeSchemas(client.document);
    expect(filesBelow(SCHEMA_FOLDER)).toEqual(Object.keys(wanted).sort());
    for (const [name, text] of Object.entries(wanted)) {
      expect({ name, text: readFileSync(join(SCHEMA_FOLDER, name), 'utf8') }).toEqual({ name, text });
    }
  });

  test('and the samples of the trigger', () => {
    expect(readFileSync(SAMPLES_FILE, 'utf8')).toBe(makeSamples(client.document));
  });

  test('are in the built package where n8n looks for them', () => {
    const { n8n } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
    const built = n8n.nodes.map((node) => join(ROOT, dirname(node), '__schema__/v1.0.0'));
    expect(new Set(built).size).toBe(1);
    for (const name of filesBelow(SCHEMA_FOLDER)) {
      const file = join(built[0] as string, name);
      expect({ file, exists: existsSync(file) }).toEqual({ file, exists: true });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(readSchema(name));
    }
  });

  test('are objects with named properties, as the editor requires', () => {
    for (const name of filesBelow(SCHEMA_FOLDER)) {
      const { type, properties, version } = readSchema(name);
      expect({ name, type, version }).toEqual({ name, type: 'object', version: 1 });
      expect(Object.keys(properties).length).toBeGreaterThan(0);
    }
  });

  test('contain only names of the API or the node', () => {
    const ofService = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: unknown };
      if (typeof properties === 'object' && properties !== null) {
        for (const name of Object.keys(properties)) ofService.add(name);
      }
      for (const inner of Object.values(value)) collect(inner);
    };
    collect(client.document.components);
    const event = ['event', 'occurred_at', 'data'];
    const ofNode = {
      delete: ['deleted'],
      'order/createOrUpdate': ['outcome'],
      getLabel: ['file_name', 'mime_type', 'size'],
      getPdf: ['file_name', 'mime_type', 'size'],
      output: [...event, 'delivery_id', 'sequence'],
      'event/getAll': event,
    };
    for (const name of filesBelow(SCHEMA_FOLDER)) {
      const own = Object.entries(ofNode).find(([kind]) => `/${name}`.endsWith(`/${kind}.json`))?.[1] ?? [];
      const unknown = Object.keys(readSchema(name).properties).filter(
        (key) => !ofService.has(key) && !own.includes(key),
      );
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
  });
});

describe('the output', () => {
  interface Ids {
    order: string;
    printer: string;
    filament: string;
    entry: string;
    webhook: string;
    delivery: string;
    lead: string;
    invoice: string;
  }

  const firstOf = async (path: string): Promise<string> =>
    String((await client.get<{ items: Array<{ id: string }> }>(path)).body.items[0]?.id);

  async function makeRecords(): Promise<Ids> {
    const { body: order } = await client.post('/print-jobs', { model_name: 'Wall bracket', printer_id: null });
    const { body: filament } = await client.post('/filaments', { name: 'PETG black', spool_count: 2 });
    const { body: printers } = await client.get<{ items: Array<{ id: string }> }>('/printers');
    const { body: webhook } = await client.post('/webhook-subscriptions', {
      url: receiver.url,
      events: ['order.created'],
    });
    return {
      order: String(order.id),
      printer: String(printers.items[0]?.id),
      filament: String(filament.id),
      entry: await firstOf(`/filaments/${filament.id}/ledger`),
      webhook: String(webhook.id),
      delivery: String((await client.post(`/webhook-subscriptions/${webhook.id}/test`)).body.id),
      lead: await firstOf('/leads'),
      invoice: await firstOf('/invoices'),
    };
  }

  /** The required parameters of each operation; every other field keeps its default. */
  const PARAMETERS: Record<string, Record<string, (ids: Ids) => IDataObject>> = {
    event: { getAll: () => ({}) },
    farm: { getSummary: () => ({}) },
    filament: {
      addBatch: ({ filament }) => ({ filamentId: filament }),
      consume: ({ filament }) => ({ filamentId: filament, grams: 12.5 }),
      create: () => ({ name: 'PLA white' }),
      get: ({ filament }) => ({ filamentId: filament }),
      getAll: () => ({}),
      getLabel: ({ filament }) => ({ filamentId: filament }),
      getBatches: ({ filament }) => ({ filamentId: filament }),
      getLedger: ({ filament }) => ({ filamentId: filament }),
      stocktake: ({ filament }) => ({ filamentId: filament, remainingGrams: 1900 }),
      undo: ({ filament, entry }) => ({ filamentId: filament, entryId: entry }),
      update: ({ filament }) => ({ filamentId: filament, updateFields: { brand: 'Acme' } }),
    },
    invoice: {
      get: ({ invoice }) => ({ invoiceId: invoice }),
      getAll: () => ({}),
      getPdf: ({ invoice }) => ({ invoiceId: invoice }),
    },
    lead: {
      get: ({ lead }) => ({ leadId: lead }),
      getAll: () => ({}),
    },
    order: {
      create: () => ({ modelName: 'Wall bracket' }),
      createOrUpdate: ({ order }) => ({
        source: 'shop',
        externalId: order,
        fields: { mappingMode: 'defineBelow', value: { model_name: 'Wall bracket' }, matchingColumns: [], schema: [] },
      }),
      delete: ({ order }) => ({ orderId: order }),
      get: ({ order }) => ({ orderId: order }),
      getAll: () => ({}),
      getLabel: ({ order }) => ({ orderId: order }),
      getHistory: ({ order }) => ({ orderId: order }),
      setStatusInBulk: ({ order }) => ({ orderId: order }),
      setStatus: ({ order }) => ({ orderId: order }),
      update: ({ order, printer }) => ({ orderId: order, updateFields: { printerId: printer } }),
    },
    printer: {
      get: ({ printer }) => ({ printerId: printer }),
      getAll: () => ({}),
    },
    webhook: {
      create: () => ({ url: 'http://127.0.0.1:9/hook' }),
      delete: ({ webhook }) => ({ subscriptionId: webhook }),
      get: ({ webhook }) => ({ subscriptionId: webhook }),
      getAll: () => ({}),
      getDeliveries: ({ webhook }) => ({ subscriptionId: webhook }),
      newSecret: ({ webhook }) => ({ subscriptionId: webhook }),
      resend: ({ webhook, delivery }) => ({ subscriptionId: webhook, deliveryId: delivery }),
      sendTest: ({ webhook }) => ({ subscriptionId: webhook }),
      update: ({ webhook }) => ({ subscriptionId: webhook, updateFields: { enabled: false } }),
    },
  };
  const CASES = Object.entries(PARAMETERS).flatMap(([resource, operations]) =>
    Object.keys(operations).map((operation): [string, string] => [resource, operation]),
  );

  test('is checked for every operation', () => {
    expect(CASES.map((names) => names.join(' ')).sort()).toEqual(Object.keys(OPERATIONS));
  });

  test.each(CASES)('of %s, %s has the fields of its schema and no others', async (resource, operation) => {
    const ids = await makeRecords();
    const schema = readSchema(`${resource}/${operation}.json`);
    if (operation === 'getHistory') {
      await client.post(`/filaments/${ids.filament}/consume`, { grams: 1, order_id: ids.order });
      await client.put(`/print-jobs/${ids.order}`, { workflow_status: 'not a status' });
    }
    if (operation === 'getDeliveries') {
      await client.post(`/webhook-subscriptions/${ids.webhook}/test`);
    }

    const parameters = PARAMETERS[resource]?.[operation]?.(ids);
    const output = await farm.give({ resource, operation, ...parameters });
    expect(output.length).toBeGreaterThan(0);
    for (const { json } of output) {
      const fits = resource === 'event' ? ofEvent(schema, String(json.event)) : schema;
      expect(toCheck(toStrict(fits))(json)).toBeNull();
    }

    await client.delete(`/webhook-subscriptions/${ids.webhook}`);
    if (resource === 'webhook' && operation === 'create') {
      await client.delete(`/webhook-subscriptions/${output[0]?.json.id}`);
    }
  });

  test.each([
    ['order', 'ORDER'],
    ['printer', 'PRINTER_RECORD'],
    ['filament', 'FILAMENT'],
    ['lead', 'LEAD'],
    ['invoice', 'INVOICE'],
  ])('of %s, get has every field offered for selection', async (resource, name) => {
    const { [name]: fields } = built<Record<string, { all: string[] }>>(`nodes/Farmboard/resources/${resource}/fields`);
    const ids = await makeRecords();
    const parameters = { resource, operation: 'get', output: 'raw', ...PARAMETERS[resource]?.get?.(ids) };
    const [record] = await farm.give(parameters);
    await client.delete(`/webhook-subscriptions/${ids.webhook}`);
    expect(Object.keys(record?.json ?? {})).toEqual(expect.arrayContaining(fields?.all ?? []));
  });

  test('of the trigger fits for every event, and every field says with which events it comes', async () => {
    const schema = readSchema('output.json');

    const trigger = farm.trigger({ events: ['*'], options: {} }, { webhookBaseUrl: receiver.url });
    await trigger.publish();
    const before = receiver.received.length;
    const { body: order } = await client.post('/print-jobs', { model_name: 'Wall bracket' });
    await client.put(`/print-jobs/${order.id}`, { workflow_status: 'assigned' });
    const { body: filament } = await client.post('/filaments', {
      name: 'PETG black',
      spool_count: 1,
      low_stock_threshold_grams: 900,
    });
    await client.post(`/filaments/${filament.id}/consume`, { grams: 200 });
    await receiver.until((all) => all.length >= before + 3);

    const seen = new Set<string>();
    for (const { raw, headers, body } of receiver.received.slice(before)) {
      const { items } = await trigger.receive(raw, headers as Record<string, string>);
      expect(toCheck(toStrict(ofEvent(schema, body.event)))(items?.[0])).toBeNull();
      seen.add(body.event);
    }
    await trigger.delete();
    expect([...seen].sort()).toEqual(['filament.low_stock', 'order.created', 'order.status_changed']);

    // events that nothing causes yet are compared with the document
    for (const event of schema.properties.event.enum as string[]) {
      const { post } = client.document.webhooks[event] as OpenApiDocument['webhooks'][string];
      const body = post.requestBody.content['application/json']?.schema as EventBody;
      const component = client.document.components.schemas[body.properties.data.$ref.split('/').pop() as string];
      expect(Object.keys(dataOf(schema, event)).sort()).toEqual(
        Object.keys((component as { properties: object }).properties).sort(),
      );
    }
  });
});
