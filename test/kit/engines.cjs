// Finds the engines besides the embedded ones that can be tested here, and whether the n8n package can be.
const { execFile } = require('node:child_process');
const { connect } = require('node:net');
const pg = require('pg');
const { findChromium } = require('./chromium.cjs');

const ADDRESSES = {
  postgres: process.env.FARMBOARD_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/postgres',
  redis: process.env.FARMBOARD_TEST_REDIS ?? 'redis://127.0.0.1:6379',
};
const WAIT_MS = 20_000;

/** Whether the server accepts connections and may create databases. */
async function hasPostgres() {
  const client = new pg.Client({ connectionString: ADDRESSES.postgres, connectionTimeoutMillis: WAIT_MS });
  try {
    await client.connect();
    const { rows } = await client.query('SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user');
    return rows[0].rolcreatedb === true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @returns {Promise<boolean>} */
const hasRedis = () =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(ADDRESSES.redis);
    const socket = connect({ host: hostname, port: Number(port || 6379) });
    /** @param {boolean} answered */
    const end = (answered) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(WAIT_MS, () => end(false));
    socket.on('connect', () => socket.write('PING\r\n')).on('error', () => end(false));
    socket.on('data', (answer) => end(String(answer).startsWith('+PONG')));
  });

/** Debian keeps these programs out of the PATH of users other than root. */
exports.PATH = `${process.env.PATH}:/usr/local/sbin:/usr/sbin:/sbin`;

/**
 * @param {string} program
 * @param {string} option
 * @returns {Promise<boolean>}
 */
const canRun = (program, option) =>
  new Promise((resolve) => {
    execFile(program, [option], { env: { ...process.env, PATH: exports.PATH } }, (error) => resolve(error === null));
  });

/** Whether what builds and tests the n8n package is installed: those who work on the service alone do without. */
function hasN8n() {
  try {
    require.resolve('n8n-core');
    return true;
  } catch {
    return false;
  }
}

/** @typedef {{ postgres: boolean, redis: boolean, nginx: boolean, compiler: boolean, chromium: boolean, php: boolean, n8n: boolean }} Engines */

/** Whether every suite runs, and every engine must be there for it. */
exports.needsAll = () => process.env.FARMBOARD_TEST_ENGINES === 'all';

/**
 * @returns {Promise<Engines>}
 * @throws Error when all are required and one is missing
 */
exports.enginesThatAnswer = async () => {
  const [postgres, redis, nginx, compiler, php] = await Promise.all([
    hasPostgres(),
    hasRedis(),
    canRun('nginx', '-v'),
    canRun('gcc', '--version'),
    canRun('php', '--version'),
  ]);
  const engines = { postgres, redis, nginx, compiler, chromium: findChromium() !== undefined, php, n8n: hasN8n() };
  const missing = exports.missing(engines);
  if (exports.needsAll() && missing.length > 0) {
    throw new Error(`${missing.join(' and ')} cannot be used, and FARMBOARD_TEST_ENGINES=all asks for every engine`);
  }
  return engines;
};

/** Whether the long forms run, as in `length.ts`. */
exports.isLong = () => Number(process.env.FARMBOARD_TEST_LONG ?? 0) > 0;

/**
 * The names of the missing ones.
 * @param {Engines} engines
 */
exports.missing = ({ postgres, redis, nginx, compiler, chromium, php, n8n }) =>
  [
    postgres ? [] : ['PostgreSQL'],
    redis ? [] : ['Redis'],
    nginx ? [] : ['nginx'],
    compiler ? [] : ['gcc'],
    chromium ? [] : ['Chromium (CHROME_PATH names one)'],
    php ? [] : ['PHP'],
    n8n ? [] : ['n8n-core (npm ci installs it)'],
  ].flat();
