import { createClient } from '../kit/client.ts';
import { createTestDatabase, POSTGRES_URL, runOnPostgres } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { createAccountWithToken, startService } from '../kit/service.ts';

test('/readyz is 503 while the database is read-only, with one line in the log, and 200 afterwards', async () => {
  const { url, drop } = createTestDatabase();
  const env = { DATABASE_URL: url, SECRET_KEY: 'k'.repeat(32), PORT: '0' };
  const { token } = await createAccountWithToken(env);
  const service = await startService(env);
  const name = new URL(url).pathname.slice(1);
  /** New connections only, so the present ones are ended. */
  const setReadOnly = (value: 'on' | 'off') =>
    runOnPostgres(
      POSTGRES_URL,
      `ALTER DATABASE "${name}" SET default_transaction_read_only = ${value};
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
  const readiness = async () => (await fetch(`${service.origin}/readyz`)).status;
  try {
    const client = await createClient(service.origin, token);
    const write = async () => (await client.post('/print-jobs', { model_name: 'part' })).status;
    expect([await write(), await readiness()]).toEqual([201, 200]);
    await setReadOnly('on');
    await eventually(readiness, (status) => status === 200);
    for (let i = 0; i < 5; i++) expect(await write()).toBe(503);
    expect((await client.get('/print-jobs')).status).toBe(200);
    expect(await readiness()).toBe(503);
    expect(service.log.filter((line) => line.includes('the database is unavailable'))).toHaveLength(1);
    await setReadOnly('off');
    await eventually(readiness, (status) => status === 200);
    expect(await write()).toBe(201);
  } finally {
    await service.kill();
    drop();
  }
});
