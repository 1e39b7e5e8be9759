import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../kit/client.ts';
import { printedCodes } from '../kit/console-client.ts';
import { readRows } from '../kit/database.ts';
import { type OwnPostgres, startOwnPostgres } from '../kit/postgres-server.ts';
import { startReceiver } from '../kit/receiver.ts';
import { type OwnRedis, startOwnRedis } from '../kit/redis-server.ts';
import { createAccountWithToken, type Env, type Service, startService } from '../kit/service.ts';

// A shutdown ends, whatever is away: before Compose kills the container, which would interrupt deliveries.

const ROLES = ['api', 'worker', 'all'];

let postgres: OwnPostgres;
let redis: OwnRedis;
let env: Env;
let services: Service[] = [];

beforeEach(async () => {
  postgres = await startOwnPostgres();
  redis = await startOwnRedis();
  env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SECRET_KEY: 'for tests only, and with enough characters',
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '0',
    DATABASE_CONNECTIONS: '8',
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
  };
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.kill()));
  services = [];
  postgres.resume();
  postgres.remove();
  await redis.stop();
});

async function start(role: string): Promise<Service> {
  const service = await startService({ ...env, ROLE: role });
  services.push(service);
  return service;
}

const AWAY: [string, () => Promise<void> | void][] = [
  ['Redis is gone', () => redis.stop()],
  ['Redis does not respond', () => redis.pause()],
  ['PostgreSQL is gone', () => postgres.stop('immediate')],
  ['PostgreSQL does not respond', () => postgres.pause()],
];

test.each(AWAY)('every role ends cleanly while %s', async (_what, leave) => {
  for (const role of ROLES) await start(role);
  // the start is over
  for (const [i, role] of ROLES.entries()) if (role !== 'worker') await printedCodes(services[i] as Service);
  await leave();
  // for sweeps that get no response
  await sleep(1_500);
  expect(await Promise.all(services.map((service) => service.stop()))).toEqual(ROLES.map(() => 0));
});

test('a delivery in progress is recorded although Redis stops in the same moment', async () => {
  const receiver = await startReceiver((res) => void sleep(2_000).then(() => res.writeHead(204).end()));
  const service = await start('all');
  const { token } = await createAccountWithToken(env);
  const client = await createClient(service.origin, token);
  await client.post('/webhook-subscriptions', { url: receiver.url, events: ['order.created'] });
  await client.post('/print-jobs', { model_name: 'Bracket' });
  await receiver.until((all) => all.length > 0);
  const stopped = service.stop();
  await redis.stop();
  expect(await stopped).toBe(0);
  expect(await readRows(postgres.url, 'SELECT state, error FROM deliveries')).toEqual([
    { state: 'succeeded', error: null },
  ]);
  await receiver.stop();
});
