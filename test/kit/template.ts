import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

type Engine = 'sqlite' | 'postgres';

/** The template a database is a copy of: migrated and empty, or with accounts. */
export type Content = 'empty' | 'full';

export interface Account {
  email: string;
  token: string;
}

/** The SQLite files or PostgreSQL databases by their content. */
interface Template extends Record<Content, string> {
  accounts: Account[];
  /** The deployment's ID, which names its keys in Redis, so every copy must get another. */
  deployment: string;
}

/** What `template.cjs` created before all suites. */
function readTemplate(engine: Engine): Template {
  const made = JSON.parse(process.env.FARMBOARD_TEST_TEMPLATE ?? '{}') as Partial<Record<Engine, Template>>;
  const template = made[engine];
  if (!template) throw new Error(`there is no template of ${engine}: the global setup of jest.config.cjs makes it`);
  return template;
}

/** The databases copied from the template with accounts. */
const full = new Map<string, Engine>();

export function noteCopy(url: string, engine: Engine, content: Content): void {
  if (content === 'full') full.set(url, engine);
}

/** @returns the name of the database to copy */
export const templatePostgres = (content: Content): string => readTemplate('postgres')[content];

/**
 * Copies a SQLite template. Its deployment ID is replaced in the bytes, because opening the file would take longer than
 * copying it.
 */
export function copyTemplateFile(file: string, content: Content): void {
  const { deployment, ...template } = readTemplate('sqlite');
  const bytes = readFileSync(template[content]);
  const renamed = randomUUID();
  for (let at = bytes.indexOf(deployment); at >= 0; at = bytes.indexOf(deployment, at)) at += bytes.write(renamed, at);
  writeFileSync(file, bytes, { mode: 0o600 });
  noteCopy(`sqlite:${file}`, 'sqlite', content);
}

/** The accounts that a database has from the start. */
export function preparedAccounts(url: string): Account[] {
  const engine = full.get(url);
  return engine === undefined ? [] : readTemplate(engine).accounts;
}
