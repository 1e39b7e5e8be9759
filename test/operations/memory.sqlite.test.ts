import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCompose, SECRETS } from '../kit/compose.ts';
import { ROOT } from '../kit/image.ts';
import { allDirectives, type Directive, parseNginxConfig } from '../kit/nginx-config.ts';

/*
 * What each container takes at most: everything that a request, a connection or a delivery can make it keep, all at the
 * same time. The numbers come from the files that set them, but for those that were measured.
 */

const KB = 1024;
const MB = 1024 * KB;
const UNITS: Record<string, number> = { '': 1, k: KB, m: MB, g: 1024 * MB };

const toBytes = (text: string): number => {
  const [, number, unit = ''] = /^(\d+)([kmg]?)b?$/i.exec(text) ?? [];
  return Number(number) * (UNITS[unit.toLowerCase()] as number);
};

/** A constant of the source, as it is written there. */
function constant(file: string, name: string): number {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, product] = new RegExp(`const ${name} = ([\\d_ *]+);`).exec(text) ?? [];
  if (product === undefined) throw new Error(`${file} has no ${name}`);
  return product.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

const compose = readCompose(SECRETS);
const nginx = parseNginxConfig(readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8'));
const directives = allDirectives(nginx);
const http = nginx.find(({ name }) => name === 'http')?.block ?? [];

const settingOf = (name: string, among: Directive[] = directives): string => {
  const found = among.find((directive) => directive.name === name);
  if (!found) throw new Error(`nginx.conf has no ${name}`);
  return found.args.at(-1) as string;
};

/** How many requests a limit of nginx lets through at once. */
const limitOf = (zone: string): number => {
  const limits = directives.filter(({ name, args }) => name === 'limit_conn' && args[0] === zone);
  expect([zone, new Set(limits.map(({ args }) => args[1])).size]).toEqual([zone, 1]);
  return Number(limits[0]?.args[1]);
};

const limitsOf = ({ block }: Directive): string[] =>
  block.filter(({ name }) => name === 'limit_conn').map(({ args }) => args[0] as string);

const requests = limitOf('requests');
const streams = limitOf('streams');
const largeBodies = limitOf('large_bodies');
const bufferedBody = toBytes(settingOf('client_body_buffer_size'));

function tmpfsOf(service: string): number {
  const { tmpfs = [] } = compose.services[service]!;
  return tmpfs.reduce((sum, mount) => sum + toBytes(/:size=(\w+)$/.exec(mount)?.[1] ?? 'unlimited'), 0);
}

function expectToFit(service: string, parts: Record<string, number>): void {
  const limit = toBytes(compose.services[service]!.deploy?.resources?.limits?.memory as string);
  const all = { ...parts, 'files in memory': tmpfsOf(service) };
  const total = Object.values(all).reduce((sum, bytes) => sum + bytes, 0);
  const shown = Object.entries(all).map(([what, bytes]) => `${what}: ${Math.ceil(bytes / MB)} MB`);
  if (!(total < limit)) throw new Error(`${service} may take more than ${limit / MB} MB. ${shown.join(', ')}`);
}

test('every container limits the files that it keeps in memory', () => {
  for (const [name, { tmpfs = [] }] of Object.entries(compose.services))
    for (const mount of tmpfs) expect([name, mount]).toEqual([name, expect.stringMatching(/^\/[\w/]+:size=\d+m$/)]);
});

test('the proxy limits every location, and each body to what its buffers and files have room for', () => {
  for (const location of directives.filter(({ name, args }) => name === 'location' && !args[0]?.startsWith('@'))) {
    const limits = limitsOf(location);
    // without any it has those of the server
    if (limits.length > 0)
      expect([location.args, limits]).toEqual([
        location.args,
        expect.arrayContaining([expect.stringMatching(/^(requests|streams)$/)]),
      ]);
    const buffering = location.block.find(({ name }) => name === 'proxy_request_buffering')?.args[0] ?? 'on';
    const max = toBytes(
      (
        location.block.find(({ name }) => name === 'client_max_body_size') ??
        http.find(({ name }) => name === 'client_max_body_size')
      )?.args[0] as string,
    );
    if (buffering === 'on' && max > bufferedBody)
      expect([location.args, limits]).toEqual([location.args, expect.arrayContaining(['large_bodies'])]);
  }
});

test('no IPv6 /48 of a client can take what all clients together have', () => {
  const locations = directives.filter((directive) => limitsOf(directive).length > 0);
  const zones = locations.flatMap(limitsOf).filter((zone) => zone.endsWith('_of_client'));
  expect(new Set(zones).size).toBe(7);
  for (const zone of zones.map((name) => name.replace('_of_client', ''))) {
    const network = limitOf(`${zone}_of_network`);
    expect([zone, network]).toEqual([zone, 1.5 * limitOf(`${zone}_of_client`)]);
    expect(network).toBeLessThan(limitOf(zone));
  }
  for (const location of locations) {
    const limits = limitsOf(location);
    for (const zone of limits.filter((name) => name.endsWith('_of_client')))
      expect([location.args, limits]).toEqual([
        location.args,
        expect.arrayContaining([zone.replace('_of_client', '_of_network')]),
      ]);
  }
});

test('the proxy fits into its container', () => {
  const [, receiving, sending] = directives.find(({ name }) => name === 'listen')?.args ?? [];
  const [count, size] = directives.find(({ name }) => name === 'large_client_header_buffers')?.args ?? [];
  const header = toBytes(settingOf('client_header_buffer_size')) + Number(count) * toBytes(size as string);
  const connections = Number(settingOf('worker_connections')) * Number(settingOf('worker_processes'));
  // nginx's structures and the system's
  const structures = 10 * KB;
  // Linux reserves twice what is asked for; a connection to an API process receives into 128 kB
  const sockets =
    2 * (toBytes(receiving?.split('=')[1] as string) + toBytes(sending?.split('=')[1] as string)) + 128 * KB;
  const zones = directives.filter(({ name }) => name === 'limit_conn_zone' || name === 'zone');
  const spooled = largeBodies * toBytes(settingOf('client_max_body_size', http));
  expect(spooled).toBeLessThanOrEqual(tmpfsOf('proxy'));
  // each of them takes one more, to an API process
  expect(2 * (requests + streams)).toBeLessThan(connections);
  expectToFit('proxy', {
    // measured: a master process and a worker
    'the processes': 14 * MB,
    requests: requests * (header + 2 * structures + bufferedBody + toBytes(settingOf('proxy_buffer_size')) + sockets),
    'other connections': (connections - 2 * requests) * (header + structures),
    'shared zones': zones.reduce(
      (sum, { args }) => sum + toBytes((args.at(-1) as string).split(':').at(-1) as string),
      0,
    ),
  });
});

/** Measured at start (docs/reference/processes.md). */
const IDLE_PROCESS = 110 * MB;
/** Measured with 4,000 of each: a connection without a request; what arrives of a body before it is read. */
const CONNECTION = 23 * KB;
const UNREAD = 64 * KB + 64 * KB;
/** Measured: what is garbage until V8 collects it, of bodies in buffers outside of its heap. */
const GARBAGE = 1.5;

test('an API process fits into its container, with everything that the proxy lets through', () => {
  const file = constant('backend/src/leads/lead.ts', 'MAX_FILE_BYTES');
  const photo = constant('backend/src/leads/profile/profile.ts', 'MAX_PHOTO_BYTES');
  // a file is stored as base64, one at a time
  const asBase64 = 4 / 3;
  expectToFit('api', {
    'the process': IDLE_PROCESS,
    // argon2id: 19 MB each
    passwords: 2 * 19 * MB,
    // of every path, arriving and parsed: hostile-bodies.sqlite.test.ts measures them
    bodies: GARBAGE * constant('backend/src/http/body-budget.ts', 'MAX_HELD_BYTES'),
    connections: constant('backend/src/http/connections.ts', 'MAX_CONNECTIONS') * CONNECTION,
    'bodies before they are read': (requests + streams) * UNREAD,
    // a page of 200 records
    responses: requests * 400_000,
    'a form that is stored': file * asBase64,
    photos: limitOf('photos') * photo,
    files: limitOf('files') * file + file * asBase64,
    'live updates': streams * constant('backend/src/http/respond.ts', 'MAX_UNREAD_BYTES'),
  });
});

test('the page on security names the limits of bodies and connections', () => {
  const text = readFileSync(join(ROOT, 'docs/reference/security.md'), 'utf8');
  const budget = 'backend/src/http/body-budget.ts';
  for (const name of ['MAX_HELD_BYTES', 'MAX_ANONYMOUS_BYTES', 'MAX_CLIENT_BYTES', 'MAX_ACCOUNT_BYTES'])
    expect(text).toMatch(new RegExp(`\\| memory of bodies \\|.* ${constant(budget, name) / 1_000_000} MB\\b`));
  for (const name of ['MAX_CONNECTIONS', 'MAX_CONNECTIONS_OF_ADDRESS'])
    expect(text).toMatch(
      new RegExp(`\\| connections \\|.* ${constant('backend/src/http/connections.ts', name).toLocaleString('en')}\\b`),
    );
});

test('a worker fits into its container, with hostile receivers everywhere', () => {
  const subscriptions = constant('backend/src/jobs/bullmq.ts', 'DRAIN_CONCURRENCY');
  const deliveries = subscriptions * constant('backend/src/webhooks/delivery/drain.ts', 'MAX_IN_FLIGHT');
  const event = constant('backend/src/http/body.ts', 'MAX_BODY_BYTES');
  expectToFit('worker', {
    'the process': IDLE_PROCESS,
    deliveries: deliveries * (event + constant('backend/src/webhooks/delivery/sender.ts', 'MAX_ANSWER_BYTES')),
    // a process of its own (docs/guide/backups.md)
    'a backup': 140 * MB,
  });
});
