import { createClient } from '../kit/client.ts';
import { createFolder, interfere, postgresPlace, sqlitePlace, succeed } from '../kit/place.ts';
import { createAccountWithToken, startService } from '../kit/service.ts';

const folder = createFolder();
const source = postgresPlace();

afterAll(() => {
  source.drop();
  folder.remove();
});

test('takes a consistent backup without blocking writers', async () => {
  const service = await startService(source.env);
  try {
    const client = await createClient(service.origin, (await createAccountWithToken(source.env)).token);
    const before = String((await client.post('/print-jobs', { model_name: 'before' })).body.id);
    const filament = String((await client.post('/filaments', { name: 'PETG', spool_count: 1 })).body.id);
    const file = folder.path('backup');
    const { code } = await interfere('accounts:', ['backup', file, '--verbose'], source.env, async (child) => {
      child.kill('SIGSTOP');
      try {
        const meanwhile = { signal: AbortSignal.timeout(300_000) };
        expect((await client.post('/print-jobs', { model_name: 'meanwhile' }, meanwhile)).status).toBe(201);
        const done = { workflow_status: 'done' };
        expect((await client.put(`/print-jobs/${before}`, done, meanwhile)).status).toBe(200);
        expect((await client.post(`/filaments/${filament}/consume`, { grams: 1 }, meanwhile)).status).toBe(200);
        expect((await client.delete(`/print-jobs/${before}`, meanwhile)).status).toBe(204);
      } finally {
        child.kill('SIGCONT');
      }
    });
    expect(code).toBe(0);
    const restored = sqlitePlace(folder.path('restored'));
    await succeed(['restore', file], restored.env);
    expect(await restored.rows('SELECT id, workflow_status FROM orders')).toEqual([
      { id: before, workflow_status: 'negotiation' },
    ]);
    expect(await restored.rows('SELECT used_mg FROM filaments')).toEqual([{ used_mg: 0 }]);
  } finally {
    await service.stop();
  }
});
