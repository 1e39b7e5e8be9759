#!/usr/bin/env -S node --max-semi-space-size=2
// The one launcher of the service and its command line. The option above limits V8's young generation (in MB): otherwise
// it grows to 48 MB with the first burst of deliveries, and keeps them.
// SQLite and password hashing run on libuv's pool: with its default of 4 threads a writer waiting for the disk would hold
// up the readers, so it is widened before anything uses it.
process.env.UV_THREADPOOL_SIZE ??= '8';
// What writes the public pages is several times slower in its development build, which it takes unless told otherwise.
process.env.NODE_ENV = 'production';

const { buildServer, buildWeb } = await import('../build.mjs');
const { entry } = await buildServer();
// the other commands show no pages
if (process.argv[2] === 'serve') await buildWeb();
const { run } = await import(entry);
await run(process.argv.slice(2));
