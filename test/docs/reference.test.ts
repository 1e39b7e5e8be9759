import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROBLEMS } from '../../backend/src/http/problem.ts';
import { createMetrics } from '../../backend/src/operator/metrics.ts';
import { REPORT_NOTES } from '../../backend/src/prints/report.ts';
import { ERROR_CODES } from '../../backend/src/shared/errors.ts';
import { ATTEMPT_ERRORS } from '../../backend/src/webhooks/delivery/attempt.ts';
import { type Decision, WEBHOOK_ADDRESSES } from '../kit/webhook-addresses.ts';

const ROOT = join(__dirname, '../..');

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The rows of the table whose header begins with a name, cell by cell. */
function tableOf(text: string, firstHeader: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHeader} |`));
  if (start < 0) throw new Error(`there is no table that begins with ${firstHeader}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map((line) => line.slice(2, -2).split(' | '));
}

const code = (name: string) => `\`${name}\``;

describe('the reference pages', () => {
  test('list every error code with its status', () => {
    const rows = tableOf(read('docs/reference/errors.md'), 'Code');
    expect(rows.map(([name, status]) => [name, Number(status)])).toEqual(
      ERROR_CODES.map((name) => [code(name), PROBLEMS[name].status]),
    );
  });

  test('list every reason of a failed delivery', () => {
    expect(tableOf(read('docs/reference/errors.md'), 'Error')).toEqual(
      Object.entries(ATTEMPT_ERRORS).map(([name, meaning]) => [code(name), meaning]),
    );
  });

  test('describe settings and events as they are declared', () => {
    const check = () => execFileSync('node', ['test/docs/tables.mjs', '--check'], { cwd: ROOT, stdio: 'pipe' });
    expect(check).not.toThrow();
  });

  test('list every note of a print report', () => {
    const rows = tableOf(read('docs/reference/agent-api.md'), 'Note');
    expect(rows.map(([name]) => name)).toEqual(Object.keys(REPORT_NOTES).map(code));
  });

  test('count what is decided about webhook addresses, group by group', () => {
    const decisions: Decision[] = ['refused at save', 'refused at connect', 'allowed'];
    const count = (group: string, decision: Decision) =>
      WEBHOOK_ADDRESSES.filter((one) => one.group === group && one.decision === decision).length;
    const groups = [...new Set(WEBHOOK_ADDRESSES.map(({ group }) => group))];
    expect(tableOf(read('docs/reference/webhook-addresses.md'), 'Addresses')).toEqual(
      groups.map((group) => [group, ...decisions.map((decision) => `${count(group, decision)}`)]),
    );
  });

  test('list every metric', async () => {
    const metrics = await createMetrics({ version: '', role: '' }).list();
    expect(tableOf(read('docs/reference/metrics.md'), 'Metric')).toEqual(
      metrics.map(({ name, help }) => [code(name), help]),
    );
  });
});
