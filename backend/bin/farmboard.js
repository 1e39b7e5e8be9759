#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=120
// The one launcher of the service and its command line. The options above limit V8's young generation (MB) and what the
// old one may grow between collections (%): otherwise a burst of deliveries takes 100 MB of garbage.
// SQLite and password hashing run on libuv's pool: with its default of 4 threads a writer waiting for the disk would hold
// up the readers, so it is widened before anything uses it.
process.env.UV_THREADPOOL_SIZE ??= '8';
// What writes the public pages is several times slower in its development build, which it takes unless told otherwise.
process.env.NODE_ENV = 'production';

const { buildServer, buildWeb } = await import('../build.mjs');
const { entry } = await buildServer();
// the other commands show no pages
if (process.argv[2] === 'serve') await buildWeb();
const { loadBundle } = await import('./bundle.js');
await loadBundle(entry).exports.run(process.argv.slice(2));
