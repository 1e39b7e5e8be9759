import { type Client, createClient } from './client.ts';
import { type DatabaseInspector, inspectDatabase } from './database.ts';
import { type OwnRedis, startOwnRedis } from './redis-server.ts';
import { createAccountWithToken, createDataFolder, type Env, type Service, startService } from './service.ts';

export interface Member {
  /** one client for each api process */
  clients: Client[];
  orders: string[];
  subscription: string | undefined;
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Several processes on one database with their own Redis: the topology of a server with many farms.
 * @param database its address, if not a new one on the PostgreSQL of all tests
 */
export async function startCluster({ apis, workers, database }: { apis: number; workers: number; database?: string }) {
  const folder = createDataFolder();
  const redis: OwnRedis = await startOwnRedis();
  const env: Env = {
    ...folder.env,
    ...(database ? { DATABASE_URL: database } : {}),
    REDIS_URL: redis.url,
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
  };
  const api = await Promise.all(Array.from({ length: apis }, () => startService({ ...env, ROLE: 'api' })));
  const startWorker = (settings: Env = {}) => startService({ ...env, ...settings, ROLE: 'worker' });
  const worker: Service[] = await Promise.all(Array.from({ length: workers }, () => startWorker()));
  const inspector: DatabaseInspector = await inspectDatabase(database ?? folder.file);

  return {
    env,
    redis,
    api,
    worker,
    inspector,
    startWorker,

    /** An account with orders, and a subscription if a URL is given. */
    async join(orders: number, url?: string): Promise<Member> {
      const { token } = await createAccountWithToken(env);
      const clients = await Promise.all(api.map(({ origin }) => createClient(origin, token)));
      const [client] = clients as [Client];
      const made = await Promise.all(
        Array.from({ length: orders }, (_, i) => client.post('/print-jobs', { model_name: `part ${i}` })),
      );
      const subscription =
        url === undefined
          ? undefined
          : ((await client.post('/webhook-subscriptions', { url, events: ['order.status_changed'] })).body
              .id as string);
      return { clients, orders: made.map(({ body }) => String(body.id)), subscription };
    },

    /** Deliveries without an end state. */
    async open(): Promise<number> {
      const [row] = await inspector.rows<{ n: number }>(
        "SELECT count(*) AS n FROM deliveries WHERE state IN ('pending', 'sending')",
      );
      return Number(row?.n);
    },

    async stop(): Promise<void> {
      await inspector.close();
      await Promise.all([...api, ...worker].map((service) => service.kill()));
      await redis.stop();
      folder.remove();
    },
  };
}
