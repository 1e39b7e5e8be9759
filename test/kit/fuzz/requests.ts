import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { OpenApiDocument } from '../checker.ts';
import { arbitraryOf, nasty, PoolId, type Schema, toJson } from './schema.ts';

export interface Operation {
  method: string;
  template: string;
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  body: Schema | undefined;
  idempotent: boolean;
}

/** A generated request; existing ids are filled in when it is sent. */
export interface Plan {
  operation: Operation;
  method: string;
  ids: PathId[];
  trailingSlash: boolean;
  /** raw pairs, percent-encoded already or broken on purpose; ids as PoolId */
  query: [string, string | PoolId][];
  headers: Record<string, string>;
  /** undefined: a valid body; null: none */
  authorization: string | null | undefined;
  body: Body | undefined;
}

type PathId = { kind: 'own' | 'foreign' | 'deleted'; pick: number } | { kind: 'text'; text: string };

interface Body {
  value: unknown;
  /** How its text is damaged before it is sent. */
  damage: 'none' | 'cut' | 'comma' | 'bom' | 'bytes' | 'doubled' | 'empty' | 'big' | 'gzip' | 'no gzip' | 'bomb';
  chunked: boolean;
}

/** The request as sent, with existing ids. */
export interface Request {
  operation: Operation;
  method: string;
  /** below /api/v1 */
  path: string;
  headers: Record<string, string>;
  /** the JSON text before damage */
  text: string | undefined;
  payload: Buffer | undefined;
  chunked: boolean;
  isDamaged: boolean;
  hasForeignId: boolean;
  /** Whether an id in the path was deleted before the request was sent. */
  hasDeletedId: boolean;
  hasOwnIdsOnly: boolean;
  isAuthorized: boolean;
  /** Whether its headers are those of a usual client. */
  isPlain: boolean;
}

/** The existing ids by kind: `print-jobs`, …; routes with two ids have pairs `a/b`. */
export interface Pools {
  own: Map<string, string[]>;
  foreign: Map<string, string[]>;
  /** of this account, by collection */
  deleted: Map<string, string[]>;
}

const collectionOf = (template: string): string => template.split('/')[1] as string;

/** Where the ids of a path come from: the collection, or for two ids the path between them. */
export const poolOf = (template: string): string => {
  const ids = template.split('/').filter((part) => part.startsWith('{')).length;
  return ids < 2 ? collectionOf(template) : template.split('/').slice(1, 4).join('/');
};

export function listOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { operationId, parameters, requestBody } = described as unknown as {
        operationId: string;
        parameters: Operation['parameters'];
        requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
      };
      return {
        method: method.toUpperCase(),
        template,
        operationId,
        parameters,
        // what is in an optional body is ignored
        body: requestBody?.required ? requestBody.content['application/json']?.schema : undefined,
        idempotent: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
      };
    }),
  );
}

const GARBAGE_IDS = [
  '1',
  'null',
  'undefined',
  '..',
  '.',
  '%00',
  '%',
  '%zz',
  '%C0%AE%C0%AE',
  '%ff%fe',
  '%ED%A0%80',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%F0%9F%98%80',
  '__proto__',
  'constructor',
  "'%20OR%20'1'='1",
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '{id}',
  'x'.repeat(5_000),
  '*',
  ';',
  '-1',
  '1e999',
];
const BAD_QUERY_VALUES = [
  '',
  '0',
  '-1',
  '1.5',
  '1e3',
  '1000000000',
  '99999999999999999999',
  '1%20OR%201=1',
  'NaN',
  'null',
  'TRUE',
  '%',
  '%zz',
  '%00',
  '%ff',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '+',
  '%25',
  '_',
  '2026-02-30',
  '2026-01-01T00:00:00',
  '__proto__',
  'x'.repeat(300),
  'x'.repeat(6_000),
  '[]',
  '{"$ne":1}',
];
const BAD_QUERY_NAMES = [
  'x',
  '__proto__',
  'constructor',
  'page%5B%5D',
  'page[]',
  'page[a]',
  'per_page[$gt]',
  '%',
  '%zz',
  '',
  'PAGE',
  'limit',
  'access_token',
];
const EXTRA_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'id',
  'account_id',
  '',
  'ключ',
  'k'.repeat(5_000),
  '\0',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/merge-patch+json',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=koi8-r',
  'application/json; charset="',
  'application/jsonx',
  'garbage',
  ';',
];
const KEYS = [
  '',
  'x'.repeat(128),
  'x'.repeat(129),
  '__proto__',
  'caf\u00e9',
  ' ',
  "' OR 1=1",
  '\u00ff'.repeat(10),
  '%00',
];
const ETAGS = ['"1"', '"2"', '*', 'W/"1"', '"999999"', '1', '""', '"1", "2"', ',,,', '\u00e9', '"'.repeat(500)];
const PREFERENCES = [
  'handling=strict',
  'handling="strict"; a=b',
  'return=minimal, handling=strict',
  'handling=lenient',
  '\u00ff',
  ',',
];
const REQUEST_IDS = ['abc-1:2.3', 'x'.repeat(64), 'x'.repeat(65), '', 'a b', '\u00e9', '"><script>'];
const AUTHORIZATIONS = [
  null,
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Basic dXNlcjpwdw==',
  `Bearer pat_${'0'.repeat(36)}`,
  'Bearer pat_\u00e9',
  `Bearer ${'x'.repeat(4_000)}`,
];

/** Loopback, ports that refuse, and what the guard must refuse: nothing leaves this machine. */
const urlsOf = (receiverUrl: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(receiverUrl) },
    { weight: 2, arbitrary: fc.constantFrom('http://127.0.0.1:1/hook', 'http://[::1]:1/', 'http://127.1:1/?q=%zz#f') },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'http://10.0.0.1/',
        'http://192.168.1.1:8080/hook',
        'http://169.254.169.254/latest/meta-data',
        'http://0.0.0.0/',
        'http://[fd00:ec2::254]/',
        'http://224.0.0.1/',
        'http://[::ffff:10.0.0.1]/',
        'http://0xa9fea9fe/',
        'ftp://127.0.0.1/',
        'http://user:pw@127.0.0.1:1/',
        'javascript:alert(1)',
        'http://',
        'http://127.0.0.1:99999/',
        'http:127.0.0.1:1',
        `http://127.0.0.1:1/${'x'.repeat(2_100)}`,
        '//127.0.0.1:1/',
        ' http://127.0.0.1:1/ ',
      ),
    },
  );

const sometimes = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: arbitrary as fc.Arbitrary<T | undefined> },
  );

/** A valid object with one mistake in it. */
function spoil(valid: fc.Arbitrary<unknown>, names: string[]): fc.Arbitrary<unknown> {
  const key = fc.constantFrom(...(names.length > 0 ? names : ['x']));
  // through JSON text, because only there `__proto__` is a normal key
  const withKey = (object: unknown, name: string, value: unknown) =>
    Object.defineProperty({ ...(object as object) }, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(valid, key, nasty).map(([object, name, value]) => withKey(object, name, value)) },
    {
      weight: 2,
      arbitrary: fc.tuple(valid, key).map(([object, name]) => {
        const { [name]: _, ...rest } = object as Record<string, unknown>;
        return rest;
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(valid, fc.constantFrom(...EXTRA_KEYS), nasty)
        .map(([object, name, value]) => withKey(object, name, value)),
    },
    { weight: 2, arbitrary: nasty },
  );
}

function bodyOf(operation: Operation, valid: fc.Arbitrary<unknown> | undefined, names: string[]) {
  if (!valid) {
    // a body for a route without one
    return sometimes(
      operation.method === 'GET' ? 2 : 8,
      fc.record({ value: nasty, damage: fc.constant('none' as const), chunked: fc.boolean() }),
    ) as fc.Arbitrary<Body | undefined>;
  }
  const value = fc.oneof({ weight: 13, arbitrary: valid }, { weight: 7, arbitrary: spoil(valid, names) });
  const damage = fc.oneof(
    { weight: 90, arbitrary: fc.constant('none' as const) },
    {
      weight: 10,
      arbitrary: fc.constantFrom(
        'cut' as const,
        'comma' as const,
        'bom' as const,
        'bytes' as const,
        'doubled' as const,
        'empty' as const,
        'big' as const,
        'gzip' as const,
        'no gzip' as const,
        'bomb' as const,
      ),
    },
  );
  const chunked = fc.nat(9).map((n) => n === 0);
  return sometimes(97, fc.record({ value, damage, chunked })) as fc.Arbitrary<Body | undefined>;
}

function queryOf(operation: Operation, resolve: (ref: string) => Schema) {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const encode = (value: unknown): string | PoolId =>
    value instanceof PoolId ? value : encodeURIComponent(String(value).toWellFormed());
  const pairs = known.map(({ name, schema }) =>
    sometimes(30, arbitraryOf(schema, resolve, name)).map((value): [string, string | PoolId][] =>
      value === undefined ? [] : [value].flat().map((one) => [name, encode(one)]),
    ),
  );
  const valid = fc.tuple(...pairs).map((lists) => lists.flat());
  const names = known.map((parameter) => parameter.name);
  const bad = fc
    .tuple(
      fc.constantFrom(...names, ...(names.length > 0 ? names : []), ...BAD_QUERY_NAMES),
      fc.constantFrom(...BAD_QUERY_VALUES),
    )
    .map((pair) => pair as [string, string]);
  return fc
    .tuple(valid, sometimes(known.length > 0 ? 30 : 5, fc.array(bad, { minLength: 1, maxLength: 3 })))
    .map(([pairsOfIt, wrong]) => [...pairsOfIt, ...(wrong ?? [])] as [string, string | PoolId][]);
}

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.uuid() },
    { weight: 3, arbitrary: fc.nat(30).map((n) => `again-${operation.operationId}-${n}`) },
    { weight: 1, arbitrary: fc.constantFrom(...KEYS) },
  );
  const writes = operation.method !== 'GET';
  return fc
    .record({
      'Idempotency-Key': sometimes(operation.idempotent ? 40 : 2, key),
      'If-Match': sometimes(writes ? 12 : 2, fc.constantFrom(...ETAGS)),
      'If-None-Match': sometimes(writes ? 2 : 12, fc.constantFrom(...ETAGS)),
      Prefer: sometimes(writes ? 12 : 2, fc.constantFrom(...PREFERENCES)),
      'X-Request-Id': sometimes(10, fc.constantFrom(...REQUEST_IDS)),
      Accept: sometimes(4, fc.constantFrom('text/html', '*/*;q=0', '\u00ff', 'application/xml')),
      Cookie: sometimes(2, fc.constantFrom('session=x', '=;=;', '\u00e9')),
      'Content-Type': sometimes(operation.body ? 8 : 2, fc.constantFrom('', ...CONTENT_TYPES)),
    })
    .map((all) =>
      Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    );
}

const pathId: fc.Arbitrary<PathId> = fc.oneof(
  { weight: 80, arbitrary: fc.record({ kind: fc.constant('own' as const), pick: fc.nat(1_000_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deleted' as const), pick: fc.nat(1_000_000) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('foreign' as const), pick: fc.nat(1_000_000) }) },
  { weight: 3, arbitrary: fc.uuid().map((text) => ({ kind: 'text' as const, text })) },
  { weight: 9, arbitrary: fc.constantFrom(...GARBAGE_IDS).map((text) => ({ kind: 'text' as const, text })) },
);

/** How often an operation is requested: deleting ones less often than creating ones. */
const WEIGHTS: Record<string, number> = {
  createOrder: 20,
  updateOrder: 25,
  deleteOrder: 6,
  createFilament: 15,
  consumeFilament: 20,
  addFilamentBatch: 15,
  deleteFilament: 3,
  undoFilamentLedgerEntry: 15,
  createWebhookSubscription: 15,
  updateWebhookSubscription: 15,
  deleteWebhookSubscription: 9,
};

/** Requests of every operation of the document, valid and broken. */
export function createPlans(document: OpenApiDocument, receiverUrl: string): fc.Arbitrary<Plan> {
  const resolve = (ref: string): Schema =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as Schema;

  const planOf = (operation: Operation): fc.Arbitrary<Plan> => {
    let schema = operation.body;
    while (schema?.$ref) schema = resolve(schema.$ref);
    const names = Object.keys(schema?.properties ?? {});
    let valid = schema && arbitraryOf(schema, resolve);
    if (valid && names.includes('url')) {
      // the schema can't say what a usable address is
      valid = fc
        .tuple(valid, urlsOf(receiverUrl))
        .map(([object, url]) => ('url' in (object as object) ? { ...(object as object), url } : object));
    }
    if (valid && operation.operationId === 'consumeFilament') {
      // exactly one of the two names of a field must be sent
      valid = fc.tuple(valid, fc.nat(9)).map(([object, dice]) => {
        const { use_weight, grams, ...rest } = object as Record<string, unknown>;
        if (dice === 0) return object;
        return grams === undefined && use_weight !== undefined
          ? { ...rest, use_weight }
          : { ...rest, grams: grams ?? 1 };
      });
    }
    if (valid && operation.operationId === 'createFilament') {
      valid = fc
        .tuple(valid, fc.nat(9))
        .map(([object, dice]) =>
          dice < 2 || (object as { spool_count?: number }).spool_count
            ? object
            : { ...(object as object), spool_count: 20 },
        );
    }
    const ids = operation.template.split('/').filter((part) => part.startsWith('{')).length;
    return fc.record({
      operation: fc.constant(operation),
      method: fc.oneof(
        { weight: 96, arbitrary: fc.constant(operation.method) },
        { weight: 4, arbitrary: fc.constantFrom(...METHODS) },
      ),
      ids: fc.array(pathId, { minLength: ids, maxLength: ids }),
      trailingSlash: fc.nat(99).map((n) => n === 0),
      query: queryOf(operation, resolve),
      headers: headersOf(operation),
      authorization: sometimes(3, fc.constantFrom(...AUTHORIZATIONS)),
      body: bodyOf(operation, valid, names),
    });
  };
  return fc.oneof(
    ...listOperations(document).map((operation) => ({
      weight: WEIGHTS[operation.operationId] ?? 10,
      arbitrary: planOf(operation),
    })),
  );
}

const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';

function choose(pools: Map<string, string[]>, pool: string, pick: number): string | undefined {
  const list = pools.get(pool) ?? [];
  return list[pick % list.length];
}

function damaged(text: string, damage: Body['damage']): Buffer {
  switch (damage) {
    case 'cut':
      return Buffer.from(text.slice(0, Math.max(1, text.length - 1)));
    case 'comma':
      return Buffer.from(`${text},`);
    case 'bom':
      return Buffer.from(`\ufeff${text}`);
    case 'bytes':
      return Buffer.concat([
        Buffer.from('{"model_name":"'),
        Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]);
    case 'doubled':
      return Buffer.from(text + text);
    case 'empty':
      return Buffer.alloc(0);
    case 'big':
      return Buffer.from(`{"model_name":"x","order_notes":"${'x'.repeat(100_001)}"}`);
    case 'gzip':
      return gzipSync(text);
    case 'bomb':
      return gzipSync(Buffer.alloc(2_000_000, ' '));
    default:
      return Buffer.from(text);
  }
}

type Choose = (id: PoolId) => string;

/** @returns the path with existing ids, and whose they are */
function fillPath({ operation, ids, trailingSlash, query }: Plan, pools: Pools, idOf: Choose) {
  const pool = poolOf(operation.template);
  const isPair = ids.length === 2;
  const [first] = ids;
  const own = isPair && first?.kind === 'own' ? (choose(pools.own, pool, first.pick) ?? '').split('/') : [];
  let hasForeignId = false;
  let hasDeletedId = false;
  const filled = ids.map((id, index) => {
    if (id.kind === 'text') return id.text;
    // another system's IDs, which every account may have
    if (operation.template.includes('/by-external-id/')) return `external-${id.pick % 4}`;
    if (id.kind === 'own') return (isPair ? own[index] : choose(pools.own, pool, id.pick)) || NO_SUCH_ID;
    const found = choose(pools[id.kind], collectionOf(operation.template), id.pick);
    if (id.kind === 'foreign') hasForeignId ||= found !== undefined;
    // the second id of a path is of another kind
    else hasDeletedId ||= found !== undefined && index === 0;
    return found ?? NO_SUCH_ID;
  });
  let path = operation.template.replace(/\{\w+\}/g, () => filled.shift() as string);
  if (trailingSlash) path += '/';
  const search = query.map(([name, value]) => `${name}=${value instanceof PoolId ? idOf(value) : value}`).join('&');
  return {
    path: search === '' ? path : `${path}?${search}`,
    hasForeignId,
    hasDeletedId,
    hasOwnIdsOnly: ids.every(({ kind }) => kind === 'own') && !path.includes(NO_SUCH_ID),
  };
}

/** Sets the headers of the body, too. */
function fillBody(plan: Plan, headers: Record<string, string>, idOf: Choose) {
  if (!plan.body) {
    delete headers['Content-Type'];
    return { text: undefined, payload: undefined };
  }
  const { value, damage } = plan.body;
  const text = value === undefined ? '' : toJson(value, idOf);
  const payload = damaged(text, damage);
  headers['Content-Type'] ??= 'application/json';
  if (headers['Content-Type'] === '') delete headers['Content-Type'];
  if (damage === 'gzip' || damage === 'no gzip' || damage === 'bomb') headers['Content-Encoding'] = 'gzip';
  // what is not UTF-8 is read as U+FFFD, as fetch and most servers do
  return { text: damage === 'bytes' ? payload.toString('utf8') : text, payload };
}

/** Fills in existing ids. */
export function toRequest(plan: Plan, pools: Pools, token: string): Request {
  const idOf: Choose = ({ pool, pick }) => choose(pools.own, pool, pick) ?? NO_SUCH_ID;
  const headers: Record<string, string> = { ...plan.headers };
  const authorization = plan.authorization === undefined ? `Bearer ${token}` : plan.authorization;
  if (authorization !== null) headers.Authorization = authorization;
  return {
    operation: plan.operation,
    method: plan.method,
    ...fillPath(plan, pools, idOf),
    headers,
    ...fillBody(plan, headers, idOf),
    chunked: plan.body?.chunked ?? false,
    isDamaged: !['none', 'gzip', 'bom', 'bytes'].includes(plan.body?.damage ?? 'none'),
    isAuthorized: plan.authorization === undefined,
    isPlain:
      !plan.trailingSlash &&
      Object.keys(plan.headers).every((name) => name === 'X-Request-Id' || name === 'Accept') &&
      ['none', 'gzip'].includes(plan.body?.damage ?? 'none'),
  };
}
