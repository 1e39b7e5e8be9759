import { createClient } from '../kit/client.ts';
import { eventually } from '../kit/eventually.ts';
import { forTest } from '../kit/opened.ts';
import {
  createAccountWithToken,
  createDataFolder,
  createServiceFolder,
  type Env,
  type Service,
} from '../kit/service.ts';

const folder = forTest(() => createServiceFolder(createDataFolder()));

async function start(settings: Env) {
  const service = await folder.start(settings);
  const { token } = await createAccountWithToken(folder.env);
  return { service, token, client: await createClient(service.origin, token) };
}

const lines = () =>
  (folder.running[0] as Service).log
    .filter((line) => line.includes('"request ended"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('ACCESS_LOG_SAMPLE=1 writes a line for each request, with its route and nothing else of its address or content', async () => {
  const { service, token, client } = await start({ ACCESS_LOG_SAMPLE: '1' });
  await fetch(`${service.origin}/api/v1/openapi.json`);
  const { body } = await client.post('/print-jobs', { model_name: 'hidden model' });
  await client.get(`/print-jobs/${body.id}`);
  await client.get('/print-jobs?q=hidden-search');
  await fetch(`${service.origin}/pay/hidden-payment-link`);
  await fetch(`${service.origin}/hidden/page`, { headers: { 'X-Request-Id': token } });
  await fetch(`${service.origin}/healthz`, { headers: { 'X-Request-Id': 'of-the-client' } });

  const all = await eventually(lines, (seen) => seen.some((line) => line.request_id === 'of-the-client'));
  const requests = all.map(({ method, route, status }) => `${method} ${route} ${status}`);
  // the client may have read the document too: the first one of a Jest worker does
  expect(requests.slice(requests.lastIndexOf('GET /api/v1/openapi.json 200'))).toEqual([
    'GET /api/v1/openapi.json 200',
    'POST /api/v1/print-jobs 201',
    'GET /api/v1/print-jobs/{id} 200',
    'GET /api/v1/print-jobs 200',
    expect.stringMatching(/^GET (\/pay\/\{token\}|none) 404$/),
    'GET none 404',
    'GET /healthz 200',
  ]);
  for (const line of all) {
    expect(Object.keys(line).sort()).toEqual(
      ['duration_ms', 'level', 'method', 'msg', 'request_id', 'route', 'status', 'time'].sort(),
    );
    expect(line.request_id).toMatch(/^[\w.:-]{1,64}$|^pat_\[hidden\]$/);
    expect(line.duration_ms).toBeGreaterThanOrEqual(0);
  }
  for (const secret of ['hidden-', 'hidden model', '/hidden/', token, String(body.id)])
    expect(JSON.stringify(all)).not.toContain(secret);
});

test('writes none by default', async () => {
  const { service, client } = await start({});
  await client.get('/print-jobs');
  await service.stop();
  expect(lines()).toEqual([]);
});
