import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

type Engine = 'sqlite' | 'postgres';

export interface Account {
  email: string;
  token: string;
}

interface Template {
  accounts: Account[];
  /** of which every database must have another: it names its keys in Redis */
  deployment: string;
}

interface Templates {
  sqlite: Template & { file: string };
  postgres?: Template & { name: string };
}

/** What `template.cjs` made before all suites. */
function readTemplates(): Templates {
  const made = process.env.FARMBOARD_TEST_TEMPLATE;
  if (made === undefined) throw new Error('there is no template: it is made by the global setup of jest.config.cjs');
  return JSON.parse(made) as Templates;
}

/** The databases that were copied from a template. */
const copies = new Map<string, Engine>();

export const noteCopy = (url: string, engine: Engine): void => void copies.set(url, engine);

/** @returns the name of the database to copy */
export const templatePostgres = (): string => readTemplates().postgres?.name ?? 'template0';

/** A copy of the SQLite template. Its deployment is renamed in the bytes: opening the file would take longer than copying it. */
export function copyTemplateFile(file: string): void {
  const { file: template, deployment } = readTemplates().sqlite;
  const bytes = readFileSync(template);
  const renamed = randomUUID();
  for (let at = bytes.indexOf(deployment); at >= 0; at = bytes.indexOf(deployment, at)) at += bytes.write(renamed, at);
  writeFileSync(file, bytes, { mode: 0o600 });
  noteCopy(`sqlite:${file}`, 'sqlite');
}

/** The accounts that are in a database from the start: none where it is no copy. */
export function preparedAccounts(url: string): Account[] {
  const engine = copies.get(url);
  return engine === undefined ? [] : (readTemplates()[engine]?.accounts ?? []);
}
