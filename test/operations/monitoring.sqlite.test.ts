import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { createClient } from '../kit/client.ts';
import { write } from '../kit/database.ts';
import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { ROOT } from '../kit/image.ts';
import { startReceiver } from '../kit/receiver.ts';
import { createAccountWithToken, createDataFolder, startService } from '../kit/service.ts';

const read = (file: string) => readFileSync(join(ROOT, 'deploy/monitoring', file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}
const { groups } = parse(read('farmboard.rules.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  title: string;
  targets: { expr: string; legendFormat: string }[];
}
const { panels } = JSON.parse(read('farmboard-dashboard.json')) as { panels: Panel[] };

/** Every metric with its labels and their values. */
type Series = Map<string, Map<string, Set<string>>>;

function parseMetrics(text: string): Series {
  const series: Series = new Map();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Map<string, Set<string>>();
    series.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
  return series;
}

const FUNCTIONS = ['sum', 'max', 'min', 'changes', 'rate', 'increase', 'min_over_time', 'histogram_quantile'];
/** Labels that Prometheus adds to each target. */
const TARGET_LABELS = new Map([
  ['job', new Set(['farmboard'])],
  ['instance', new Set(['127.0.0.1:3000'])],
]);

/** @returns what the query names and the service doesn't have, and the labels of its result */
function inspect(query: string, series: Series): { faults: string[]; labels: string[] } {
  const faults: string[] = [];
  const labels: string[] = [];
  const used = new Set<string>();
  const labelsOf = (metric: string) => new Map([...TARGET_LABELS, ...(series.get(metric) ?? [])]);
  const text = query
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\bby \(([^)]*)\)/g, (_, names: string) => {
      labels.push(...names.split(/,\s*/));
      return '';
    })
    .replace(/(\w+)\{([^}]*)\}/g, (_, metric: string, matchers: string) => {
      for (const [, label = '', operator, value = ''] of matchers.matchAll(/(\w+)(=~|=)"([^"]*)"/g)) {
        const pattern = operator === '=' ? { test: (text: string) => text === value } : new RegExp(`^(?:${value})$`);
        if (![...(labelsOf(metric).get(label) ?? [])].some((text) => pattern.test(text)))
          faults.push(`${metric}{${label}${operator}"${value}"}`);
      }
      return metric;
    });
  for (const [, name = '', isCall] of text.matchAll(/([a-z_]\w*)\s*(\()?/gi)) {
    if (isCall ? !FUNCTIONS.includes(name) : !series.has(name)) faults.push(name);
    if (!isCall) used.add(name);
  }
  if (used.size === 0) faults.push('no metric');
  for (const metric of used)
    for (const label of labels) if (!labelsOf(metric).has(label)) faults.push(`${metric} by ${label}`);
  // without an aggregation, it has every label of the metric
  return {
    faults,
    labels: labels.length > 0 || FUNCTIONS.some((one) => text.startsWith(one)) ? labels : [...TARGET_LABELS.keys()],
  };
}

/** What the text shows of the result and the result doesn't have. */
const missingIn = (text: string, labels: string[]): string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)]
    .map(([, label = '']) => label)
    .filter((label) => !labels.includes(label));

let series: Series;

beforeAll(async () => {
  const folder = createDataFolder();
  // the second delivery gets no response
  let answered = 0;
  const receiver = await startReceiver((res) => {
    answered += 1;
    if (answered === 1) res.writeHead(204).end();
  });
  const secret = 'a secret of the operator, in full';
  const service = await startService({
    ...folder.env,
    OPERATOR_SECRET: secret,
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
    BACKUP_FOLDER: dirname(folder.file),
    ...(HAS_REDIS ? { REDIS_URL } : {}),
  });
  const scrape = async () => {
    const page = await fetch(`${service.origin}/metrics`, {
      headers: { Authorization: `Basic ${btoa(`x:${secret}`)}` },
    });
    return parseMetrics(await page.text());
  };
  try {
    const client = await createClient(service.origin, (await createAccountWithToken(folder.env)).token);
    await client.post('/webhook-subscriptions', { url: receiver.url, events: ['order.created'] });
    await client.post('/print-jobs', { model_name: 'sent' });
    // some are shown only while a delivery isn't finished: four at once end after 10 s
    for (let i = 0; i < 20; i++) await client.post('/print-jobs', { model_name: 'is being sent' });
    await receiver.until((all) => all.length >= 2);
    // a server error
    await write(folder.file, 'ALTER TABLE filaments RENAME TO renamed');
    expect((await client.get('/filaments')).status).toBe(500);
    series = await eventually(scrape, (seen) => Boolean(seen.get('farmboard_delivery_attempts_total')?.size));
  } finally {
    await service.kill();
    await receiver.stop();
    folder.remove();
  }
  // Prometheus makes it from the result of each scrape
  series.set('up', new Map());
  if (!HAS_REDIS) series.set('farmboard_redis_up', new Map());
});

test('finds a metric, a label, a value or a function that does not exist', () => {
  const faultsOf = (query: string) => inspect(query, series).faults;
  expect(faultsOf('sum by (state) (farmboard_outbox_deliveries) > 1')).toEqual([]);
  expect(faultsOf('sum by (state) (farmboard_outbox_delivery) > 1')).toEqual([
    'farmboard_outbox_delivery',
    'farmboard_outbox_delivery by state',
  ]);
  expect(faultsOf('sum by (status) (farmboard_outbox_deliveries)')).toEqual(['farmboard_outbox_deliveries by status']);
  expect(faultsOf('summ(farmboard_outbox_deliveries)')).toEqual(['summ']);
  for (const matcher of ['state="lost"', 'state=~"l.*"', 'status="pending"'])
    expect(faultsOf(`farmboard_outbox_deliveries{${matcher}}`)).toEqual([`farmboard_outbox_deliveries{${matcher}}`]);
  expect(faultsOf('rate(farmboard_delivery_first_byte_seconds[5m])')).toEqual([
    'farmboard_delivery_first_byte_seconds',
  ]);
  expect(missingIn('{{state}} {{ $labels.pool }}', ['state'])).toEqual(['pool']);
});

test('every alert reads metrics and labels that the service has', () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, expr, labels: given, annotations } of rules) {
    const { faults, labels } = inspect(expr, series);
    expect([alert, faults, missingIn(JSON.stringify(annotations), labels)]).toEqual([alert, [], []]);
    expect(['critical', 'warning']).toContain(given.severity);
    expect(annotations.summary).not.toBe('');
  }
  const listed = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8').matchAll(/^\| `(Farmboard\w+)` \|/gm);
  expect([...listed].map(([, alert]) => alert)).toEqual(rules.map(({ alert }) => alert));
});

test('every panel of the dashboard reads metrics and labels that the service has', () => {
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets } of panels)
    for (const { expr, legendFormat } of targets) {
      const { faults, labels } = inspect(expr, series);
      expect([title, faults, missingIn(legendFormat, labels)]).toEqual([title, [], []]);
    }
});

test('the dashboard shows every metric of ours', () => {
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
  const ours = [...series.keys()]
    .filter((name) => name.startsWith('farmboard_'))
    .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
});
