import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { blocksOf, pagesIn, ROOT } from '../kit/docs/blocks.ts';
import { type PreparedFarm, prepareFarm } from '../kit/docs/prepared-farm.ts';
import { type Outcome, runSession, type Session, sessionsOf } from '../kit/docs/run-blocks.ts';

const PAGES = pagesIn('examples');

let farm: PreparedFarm;

beforeAll(async () => {
  farm = await prepareFarm();
});
afterAll(() => farm?.remove());

const run = (folder: string, after?: string): Promise<Outcome> =>
  runSession(sessionsOf(blocksOf(`examples/${folder}/README.md`))[0] as Session, farm, after);

test('every example says on at most 30 lines what it shows', () => {
  const lengths = PAGES.map((page) => [page, readFileSync(join(ROOT, page), 'utf8').trimEnd().split('\n').length]);
  expect(lengths.filter(([, lines]) => (lines as number) > 30)).toEqual([]);
});

test('the receiver prints the order that its page creates', async () => {
  await run('receiver', 'eventually grep -q \'order.created .*"model_name":"Wall bracket"\' "$SAID"');
});

test('the agent reports the print of a simulated printer, once and with its order', async () => {
  const { output } = await run('agent');
  const printed = Object.values(output).at(-1) ?? '';
  const { items } = JSON.parse(printed) as { items: { data: Record<string, unknown> }[] };
  const filename = `ORDER-${farm.variables.ORDER}_bracket.gcode`;
  expect(items.map(({ data }) => data)).toMatchObject([{ printer_id: farm.variables.PRINTER, filename }]);
});

test('the typed client prints an order, takes a shop’s, and lists both', async () => {
  const { output, after } = await run('client', 'node dist/shop-order.js etsy 3141592653 "Wall bracket" 5');
  const [, printed, listed] = Object.values(output).map((text) => text.trim().split('\n'));
  const order = `ORDER-${farm.variables.ORDER}`;
  const id = /^created (ORDER-\S+): 4 pieces$/.exec(listed?.[0] ?? '')?.[1];
  expect(printed?.at(-1)).toMatch(/^.+ is done, \d+\.5 g of .+ are left$/);
  expect(listed?.slice(1)).toEqual([expect.stringMatching(`^${order} done `), `${id} negotiation Wall bracket`]);
  expect(after).toBe(`updated ${id}: 5 pieces\n`);
});

describe('Grafana’s dashboard', () => {
  const folder = join(ROOT, 'examples/monitoring');
  const yaml = (file: string) => parse(readFileSync(join(folder, file), 'utf8'));
  const text = readFileSync(join(ROOT, 'deploy/monitoring/farmboard-dashboard.json'), 'utf8');

  test('finds a metric of a real service for every query', async () => {
    const { output } = await run('monitoring');
    const metrics = Object.values(output).join('');
    const wanted = new Set(text.match(/\b(farmboard|process|nodejs)_\w+/g));
    const has = (name: string) =>
      [name, name.replace(/_(bucket|sum|count)$/, '')].some((one) => metrics.includes(`# TYPE ${one} `));
    expect([...wanted].filter((name) => !has(name))).toEqual([]);
    expect(wanted.size).toBeGreaterThan(15);
  });

  test('gets what Prometheus reads at the address and with the secret of the page', () => {
    const { rule_files, scrape_configs } = yaml('prometheus.yml');
    expect(rule_files.map((file: string) => join(folder, file))).toEqual([
      join(ROOT, 'deploy/monitoring/farmboard.rules.yml'),
    ]);
    const [{ job_name, authorization, static_configs }] = scrape_configs;
    expect([job_name, static_configs]).toEqual(['farmboard', [{ targets: ['127.0.0.1:3000'] }]]);
    expect(join(folder, authorization.credentials_file)).toBe(join(ROOT, 'data/operator-secret'));
    const page = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(page).toContain('> data/operator-secret');
    const [{ options }] = yaml('provisioning/dashboards/farmboard.yml').providers;
    expect(page).toContain(`-v "$PWD/deploy/monitoring:${options.path}:ro"`);
  });
});
