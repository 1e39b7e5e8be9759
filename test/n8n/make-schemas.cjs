// Writes what n8n shows before anything has run: nodes/Farmboard/__schema__, one file for each operation, and the
// trigger's samples, generated from the service's OpenAPI document and the built node. Run
// `node test/n8n/make-schemas.cjs` after changing either; schema.suite.ts compares.
const { spawn } = require('node:child_process');
const { mkdtempSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { BULK, DELETED, FILE, OPERATIONS } = require('../kit/n8n/operations.cjs');

/**
 * A JSON schema, of which n8n reads a part.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {Schema[]} [anyOf]
 * @property {string | string[]} [type]
 * @property {string} [format]
 * @property {string} [description]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {Record<string, Schema>} [properties]
 * @property {Schema} [items]
 */
/** @typedef {{ content: { 'application/json': { schema: Schema, example?: unknown } } }} Body */
/**
 * @typedef {object} OpenApi
 * @property {Record<string, Record<string, { operationId: string, responses: Record<string, Body> }>>} paths
 * @property {Record<string, { post: { requestBody: Body } }>} webhooks
 * @property {{ schemas: Record<string, Schema> }} components
 */
/** @typedef {Record<string, unknown[] | undefined>} Shown values by field */
/**
 * A field of a node.
 * @typedef {object} Field
 * @property {string} name
 * @property {{ show?: Shown, hide?: Shown }} [displayOptions]
 * @property {{ value: string }[]} [options]
 */
/** @typedef {{ properties: Field[] }} Description of a node */

const ROOT = resolve(__dirname, '../..');
const NODE_FOLDER = join(ROOT, 'dist/nodes/Farmboard');
/** n8n looks in a folder named after the node's version, in three parts. */
const SCHEMA_FOLDER = join(ROOT, 'nodes/Farmboard/__schema__/v1.0.0');
const SAMPLES_FILE = join(ROOT, 'nodes/Farmboard/trigger/samples.json');

/**
 * What a node operation adds to the record.
 * @type {Record<string, Record<string, Schema>>}
 */
const ADDED = {
  'order/createOrUpdate': {
    outcome: {
      type: 'string',
      enum: ['created', 'updated', 'stale'],
      description: 'stale: nothing was written, because a later state is stored',
    },
  },
};

/**
 * The node's output if the service answers without a body.
 * @type {Schema}
 */
const OF_DELETED = { type: 'object', properties: { deleted: { type: 'boolean' } } };

/**
 * Beside the binary field of a downloaded file.
 * @type {Schema}
 */
const DOWNLOADED = {
  type: 'object',
  properties: { file_name: { type: 'string' }, mime_type: { type: 'string' }, size: { type: 'integer' } },
};

/** What the trigger adds to an event from its headers. */
const FROM_HEADERS = {
  delivery_id: { type: 'string', format: 'uuid' },
  sequence: { type: 'integer' },
};

/** What the event log has in addition to the event. */
const IN_LOG = { id: { type: 'string', format: 'uuid' } };

/**
 * @param {OpenApi} openApi the service's document
 * @returns {Record<string, string>} text by path in `__schema__`
 */
function makeSchemas(openApi) {
  const { Farmboard } = require(join(NODE_FOLDER, 'Farmboard.node.js'));
  const { FarmboardTrigger } = require(join(NODE_FOLDER, 'FarmboardTrigger.node.js'));
  const { properties } = /** @type {Description} */ (new Farmboard().description);
  const trigger = new FarmboardTrigger().description;
  /** @type {Record<string, string>} */
  const files = {};
  for (const { resource, operation } of operationsOf(properties)) {
    const full = outputOf(openApi, trigger, resource, operation);
    const names = simplifiedFields(properties, resource, operation);
    const { properties: shown, ...schema } = names ? simplify(full, names) : full;
    const added = ADDED[`${resource}/${operation}`];
    files[`${resource}/${operation}.json`] = print({ ...schema, properties: { ...shown, ...added } });
  }
  // the trigger offers no test events
  files['output.json'] = print(ofEvents(openApi, eventsOf(trigger), FROM_HEADERS));
  return files;
}

/** @type {(openApi: OpenApi, trigger: Description, resource: string, operation: string) => Schema} */
function outputOf(openApi, trigger, resource, operation) {
  const source = OPERATIONS[`${resource} ${operation}`]?.output;
  if (source === undefined) throw new Error(`${resource} ${operation} is not in test/kit/n8n/operations.cjs`);
  if (source === DELETED) return OF_DELETED;
  if (source === FILE) return DOWNLOADED;
  if (source === BULK) return simplify(toSchema(openApi, answerOf(openApi, 'getOrder')), ['id', 'workflow_status']);
  if (resource === 'event') return ofEvents(openApi, [...eventsOf(trigger), 'webhook.test'], IN_LOG);
  return toSchema(openApi, answerOf(openApi, source));
}

/**
 * @param {OpenApi} openApi
 * @returns {string} the documented example of each event, which Execute Step of the trigger shows if there is none
 */
function makeSamples(openApi) {
  const { FarmboardTrigger } = require(join(NODE_FOLDER, 'FarmboardTrigger.node.js'));
  /** @param {string} event */
  const exampleOf = (event) => eventBody(openApi, event).example;
  const events = eventsOf(new FarmboardTrigger().description);
  return `${write(Object.fromEntries(events.map((event) => [event, exampleOf(event)])), '', '')}\n`;
}

/** @type {(openApi: OpenApi, event: string) => Body['content']['application/json']} */
function eventBody({ webhooks }, event) {
  const found = webhooks[event];
  if (!found) throw new Error(`the OpenAPI document has no event ${event}`);
  return found.post.requestBody.content['application/json'];
}

/** @param {Field[]} properties */
const operationsOf = (properties) =>
  properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ displayOptions, options = [] }) =>
      options.map(({ value }) => ({ resource: String(displayOptions?.show?.resource?.[0]), operation: value })),
    );

/**
 * The fields that an operation outputs by default; undefined: all of them.
 * @param {Field[]} properties
 * @param {string} resource
 * @param {string} operation
 * @returns {string[] | undefined}
 */
function simplifiedFields(properties, resource, operation) {
  /** @type {(field: Field) => boolean | undefined} */
  const isShown = ({ name, displayOptions: { show = {} } = {} }) =>
    name === 'output' && show.resource?.includes(resource) && show.operation?.includes(operation);
  return properties.some(isShown) ? recordFields(resource, operation).simplified : undefined;
}

/** @type {(resource: string, operation: string) => { simplified: string[] }} */
function recordFields(resource, operation) {
  const fields = require(join(NODE_FOLDER, 'resources', resource, 'fields.js'));
  if (operation === 'addBatch') return fields.BATCH;
  if (resource === 'invoice') return operation === 'getAll' ? fields.LISTED_INVOICE : fields.INVOICE;
  return fields[resource === 'printer' ? 'PRINTER_RECORD' : resource.toUpperCase()];
}

/** @type {(schema: Schema, names: string[]) => Schema} */
function simplify(schema, names) {
  const { properties = {} } = schema;
  const missing = names.filter((name) => !properties[name]);
  if (missing.length > 0) throw new Error(`the simplified output names fields that do not exist: ${missing}`);
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, properties[name] ?? {}])) };
}

/**
 * The schema of one record; for a list that of its items, because the node outputs them one by one.
 * @type {(openApi: OpenApi, operationId: string) => Schema}
 */
function answerOf(openApi, operationId) {
  const operation = Object.values(openApi.paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`the OpenAPI document has no operation ${operationId}`);
  // a dry run is answered with 200, too, but with another media type
  /** @param {[string, Body]} response */
  const isRecord = ([status, { content }]) => status.startsWith('2') && content?.['application/json'];
  const response = Object.entries(operation.responses).find(isRecord)?.[1];
  if (!response) throw new Error(`${operationId} has no successful response`);
  const { schema } = response.content['application/json'];
  return schema.properties?.items?.items ?? schema;
}

/** @type {(trigger: Description) => string[]} */
const eventsOf = ({ properties }) =>
  (properties.find(({ name }) => name === 'events')?.options ?? [])
    .map(({ value }) => value)
    .filter((value) => value !== '*');

/**
 * An event is one of many kinds. n8n's look-up doesn't distinguish them, so `data` has the fields of all events, each
 * with the events that have it.
 * @type {(openApi: OpenApi, names: string[], more: Record<string, Schema>) => Schema}
 */
function ofEvents(openApi, names, more) {
  /** @type {Record<string, Schema>} */
  const data = {};
  for (const event of names) {
    const { properties } = toSchema(openApi, eventBody(openApi, event).schema);
    for (const [name, property] of Object.entries(properties?.data?.properties ?? {})) {
      const known = data[name];
      const description = [known?.description, event].filter(Boolean).join(', ');
      data[name] = { ...(known ? merge(known, property) : property), description };
    }
  }
  return {
    type: 'object',
    properties: {
      event: { type: 'string', enum: names },
      occurred_at: { type: 'string', format: 'date-time' },
      data: { type: 'object', properties: data },
      ...more,
    },
  };
}

/** @type {(one: Schema, other: Schema) => Schema} */
function merge(one, other) {
  const type = toType([one.type ?? [], other.type ?? []].flat());
  return { ...one, type };
}

/**
 * Types without repetition, null last, because the editor shows the first.
 * @param {string[]} types
 */
function toType(types) {
  const unique = [...new Set(types)].sort((a, b) => Number(a === 'null') - Number(b === 'null'));
  return unique.length === 1 ? String(unique[0]) : unique;
}

/**
 * The parts of a schema that n8n reads: type, fields, items, and for samples format and enum. Resolves references.
 * @type {(openApi: OpenApi, schema: Schema) => Schema}
 */
function toSchema(openApi, schema) {
  if (schema.$ref) return toSchema(openApi, openApi.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.anyOf) {
    const branches = schema.anyOf.map((branch) => toSchema(openApi, branch));
    const [first] = branches.filter(({ type }) => type !== 'null');
    const type = toType(branches.flatMap((branch) => branch.type ?? []));
    return {
      ...first,
      type,
      ...(first?.enum ? { enum: [...first.enum, null] } : {}),
      ...(schema.description ? { description: schema.description } : {}),
    };
  }
  const { type, format, description, properties, items } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  return {
    ...(type ? { type } : {}),
    ...(format ? { format } : {}),
    ...(values ? { enum: values } : {}),
    ...(description ? { description } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, toSchema(openApi, property)]),
          ),
        }
      : {}),
    ...(items ? { items: toSchema(openApi, items) } : {}),
  };
}

const WIDEST = 120;

/**
 * Formats like this repository's formatter: objects on several lines, arrays on one line if they fit.
 * @param {Schema} schema
 */
function print(schema) {
  return `${write({ ...schema, version: 1 }, '', '')}\n`;
}

/** @type {(value: unknown, indent: string, before: string) => string} */
function write(value, indent, before) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    if (indent.length + before.length + line.length + 1 <= WIDEST) return line;
    return `[\n${value.map((item) => inner + JSON.stringify(item)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).map(([name, item]) => {
    const start = `${JSON.stringify(name)}: `;
    return inner + start + write(item, inner, start);
  });
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

/**
 * The document of the built service, which is started briefly on a temporary database.
 * @returns {Promise<OpenApi>}
 */
async function readOpenApi() {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-schemas-'));
  const env = { ...process.env, DATABASE_URL: `sqlite:${join(folder, 'farmboard.sqlite3')}`, PORT: '0' };
  const service = spawn(process.execPath, [join(ROOT, 'backend/bin/farmboard.js'), 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => service.once('exit', done));
  try {
    for await (const line of createInterface({ input: service.stdout })) {
      const port = line.startsWith('{') ? JSON.parse(line).port : undefined;
      if (port !== undefined) return await (await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)).json();
    }
    throw new Error('the service ended before it listened');
  } finally {
    service.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main() {
  const { buildServer } = await import('../../backend/build.mjs');
  const { buildNodes } = await import('../../nodes/build.mjs');
  await buildServer();
  buildNodes();
  const openApi = await readOpenApi();
  writeFileSync(SAMPLES_FILE, makeSamples(openApi));
  const files = makeSchemas(openApi);
  rmSync(SCHEMA_FOLDER, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const file = join(SCHEMA_FOLDER, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  buildNodes();
  console.log(`${Object.keys(files).length} files in nodes/Farmboard/__schema__`);
}

module.exports = { makeSchemas, makeSamples, SCHEMA_FOLDER, SAMPLES_FILE, NODE_FOLDER };

if (require.main === module) {
  main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
