const { MessageChannel, receiveMessageOnPort, Worker } = require('node:worker_threads');

/**
 * @param {string} url of the database
 * @param {string[]} statements run one after the other, each in a connection of its own
 */
exports.runAsync = async (url, ...statements) => {
  const { Client } = require('pg');
  for (const statement of statements) {
    const client = new Client(url);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
};

const THREAD = `
  const { workerData: { port, file } } = require('node:worker_threads');
  const { runAsync } = require(file);
  port.on('message', async ({ url, statements, done }) => {
    const error = await runAsync(url, ...statements).then(() => undefined, ({ message }) => message);
    port.postMessage({ error });
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  });`;

let thread;

function start() {
  const { port1, port2 } = new MessageChannel();
  const workerData = { port: port2, file: __filename };
  new Worker(THREAD, { eval: true, workerData, transferList: [port2] }).unref();
  return port1;
}

/**
 * The same while the caller waits: suites are set up in plain order. One thread for all suites of a Jest worker, because a
 * process for each database takes longer than creating it.
 * @throws {Error} of the first that fails
 */
exports.runOnPostgres = (url, ...statements) => {
  thread ??= start();
  const done = new Int32Array(new SharedArrayBuffer(4));
  thread.postMessage({ url, statements, done });
  Atomics.wait(done, 0, 0);
  const { error } = receiveMessageOnPort(thread).message;
  if (error !== undefined) throw new Error(error);
};
