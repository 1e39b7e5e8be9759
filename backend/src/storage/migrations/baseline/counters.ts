import { COUNTERS, type Counter } from '../../counters.ts';
import { type Db, isPostgres, query } from '../../dialect.ts';

/** The counters, and the triggers that keep them. */
export async function createCounters(db: Db): Promise<void> {
  for (const counter of COUNTERS) {
    await createTable(db, counter);
    await (isPostgres(db) ? createTriggers(db, counter) : createSqliteTriggers(db, counter));
  }
}

async function createTable(db: Db, { table, columns }: Counter): Promise<void> {
  const names = Object.keys(columns);
  const defined = [...names.map((name) => `${name} TEXT NOT NULL`), 'n BIGINT NOT NULL'].join(', ');
  if (!isPostgres(db)) {
    await query(db, `CREATE TABLE ${table} (${defined}, PRIMARY KEY (${names.join(', ')})) WITHOUT ROWID`);
    return;
  }
  await query(db, `CREATE TABLE ${table} (${defined})`);
  await query(db, `CREATE INDEX ${table}_account ON ${table} (account_id)`);
}

/** The expressions of a counter's columns over NEW or OLD, separated by commas. */
const over = ({ columns }: Counter, row: 'NEW' | 'OLD'): string =>
  Object.values(columns)
    .map((expression) => expression.replace(/\b[a-z_]+\b(?!\()/g, `${row}.$&`))
    .join(', ');

/** The columns of the counted table that decide where a row is counted. */
const decisive = ({ columns }: Counter): string[] => Object.keys(columns);

async function createSqliteTriggers(db: Db, counter: Counter): Promise<void> {
  const { table, of } = counter;
  const names = Object.keys(counter.columns).join(', ');
  const add = (row: 'NEW' | 'OLD', n: 1 | -1) =>
    `INSERT INTO ${table} (${names}, n) VALUES (${over(counter, row)}, ${n}) ON CONFLICT (${names}) DO UPDATE SET n = n + ${n};`;
  const remove = `${add('OLD', -1)} DELETE FROM ${table} WHERE n = 0 AND (${names}) = (${over(counter, 'OLD')});`;
  const moved = decisive(counter).map((name) => `OLD.${name} IS NOT NEW.${name}`);
  for (const trigger of [
    `${table}_insert AFTER INSERT ON ${of} BEGIN ${add('NEW', 1)} END`,
    `${table}_delete AFTER DELETE ON ${of} BEGIN ${remove} END`,
    `${table}_update AFTER UPDATE OF ${decisive(counter).join(', ')} ON ${of} WHEN ${moved.join(' OR ')} BEGIN ${add('NEW', 1)} ${remove} END`,
  ]) {
    await query(db, `CREATE TRIGGER ${trigger}`);
  }
}

/** Inserts and deletions are counted by statement, because many rows at once are usual, changes by row, because few are. */
async function createTriggers(db: Db, counter: Counter): Promise<void> {
  const { table, of } = counter;
  const names = Object.keys(counter.columns).join(', ');
  const expressions = Object.values(counter.columns).join(', ');
  const grouping = Object.keys(counter.columns).map((_, i) => i + 1);
  const addRows = (n: string) =>
    `INSERT INTO ${table} (${names}, n) SELECT ${expressions}, ${n} FROM counted GROUP BY ${grouping.join(', ')}`;
  const move = `INSERT INTO ${table} (${names}, n) VALUES (${over(counter, 'NEW')}, 1), (${over(counter, 'OLD')}, -1)`;
  const moved = decisive(counter).map((name) => `OLD.${name} IS DISTINCT FROM NEW.${name}`);
  for (const [event, body, when] of [
    ['insert', addRows('count(*)'), `AFTER INSERT ON ${of} REFERENCING NEW TABLE AS counted FOR EACH STATEMENT`],
    ['delete', addRows('-count(*)'), `AFTER DELETE ON ${of} REFERENCING OLD TABLE AS counted FOR EACH STATEMENT`],
    [
      'update',
      move,
      `AFTER UPDATE OF ${decisive(counter).join(', ')} ON ${of} FOR EACH ROW WHEN (${moved.join(' OR ')})`,
    ],
  ] as const) {
    const name = `${table}_${event}`;
    await query(
      db,
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$`,
    );
    await query(db, `CREATE TRIGGER ${name} ${when} EXECUTE FUNCTION ${name}()`);
  }
}
