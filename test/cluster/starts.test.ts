import { createClient } from '../kit/client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { times } from '../kit/length.ts';
import { createAccountWithToken, createNewDataFolder, type Service, startService } from '../kit/service.ts';

const PROCESSES = times(8, 20);

test(`runs the migrations once when ${PROCESSES} processes start at once`, async () => {
  const folder = createNewDataFolder();
  let started: Service[] = [];
  try {
    const starts = await Promise.allSettled(
      Array.from({ length: PROCESSES }, (_, i) =>
        startService({ ...folder.env, ROLE: ['all', 'api', 'worker'][i % 3] as string }),
      ),
    );
    started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))).toEqual([]);

    const ran = started.flatMap(({ log }) => log.filter((line) => line.includes('"migrations":')));
    expect(ran).toHaveLength(1);
    const inspector = await inspectDatabase(folder.file);
    const migrations = await inspector.rows<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
    const deployments = await inspector.rows('SELECT id FROM deployment');
    await inspector.close();
    expect((JSON.parse(ran[0] as string) as { migrations: string[] }).migrations).toEqual(
      migrations.map(({ name }) => name),
    );
    expect(deployments).toHaveLength(1);

    const { token } = await createAccountWithToken(folder.env);
    for (const [i, { origin }] of started.entries()) {
      expect(await (await fetch(`${origin}/readyz`)).json()).toEqual({ status: 'ready' });
      if (i % 3 === 2) continue;
      const client = await createClient(origin, token);
      expect((await client.post('/print-jobs', { model_name: `of process ${i}` })).status).toBe(201);
    }
  } finally {
    await Promise.all(started.map((service) => service.kill()));
    folder.remove();
  }
});
