// The databases that suites start from: for each engine, a migrated empty one and one with accounts. They are created before
// all suites and removed afterwards. Copying one takes a tenth of the time of migrating.
const { execFileSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { copyFileSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { runAsync } = require('./run-on-postgres.cjs');

const POSTGRES_URL = process.env.FARMBOARD_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** More than most suites use; further accounts are created by the command line. */
const ACCOUNTS = 12;

/** @returns {object} what `make-template.ts` prints */
function fill(program, DATABASE_URL, accounts) {
  const env = { ...process.env, DATABASE_URL, SECRET_KEY: 'for tests only, and with enough characters' };
  const stdio = ['ignore', 'pipe', 'inherit'];
  return JSON.parse(execFileSync(process.execPath, [program, String(accounts)], { env, stdio }));
}

function makeFiles(program, folder) {
  const empty = join(folder, 'empty.sqlite3');
  fill(program, `sqlite:${empty}`, 0);
  const full = join(folder, 'full.sqlite3');
  copyFileSync(empty, full);
  return { empty, full, ...fill(program, `sqlite:${full}`, ACCOUNTS) };
}

async function makeDatabases(program) {
  const urlOf = (name) => Object.assign(new URL(POSTGRES_URL), { pathname: `/${name}` }).href;
  const empty = `farmboard_test_${randomBytes(8).toString('hex')}`;
  await runAsync(POSTGRES_URL, `CREATE DATABASE ${empty} TEMPLATE template0`);
  fill(program, urlOf(empty), 0);
  const full = `${empty}_full`;
  await runAsync(POSTGRES_URL, `CREATE DATABASE ${full} TEMPLATE ${empty}`);
  return { empty, full, ...fill(program, urlOf(full), ACCOUNTS) };
}

/**
 * @param {string} program the built make-template.ts
 * FARMBOARD_TEST_TEMPLATE tells the suites where the templates are (`template.ts`).
 */
exports.makeTemplates = async (program, { postgres }) => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-template-'));
  const templates = { folder, sqlite: makeFiles(program, folder) };
  if (postgres) templates.postgres = await makeDatabases(program);
  process.env.FARMBOARD_TEST_TEMPLATE = JSON.stringify(templates);
};

exports.removeTemplates = async () => {
  const { folder, postgres } = JSON.parse(process.env.FARMBOARD_TEST_TEMPLATE ?? '{}');
  if (folder) rmSync(folder, { recursive: true, force: true });
  for (const name of postgres ? [postgres.full, postgres.empty] : [])
    await runAsync(POSTGRES_URL, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
};
