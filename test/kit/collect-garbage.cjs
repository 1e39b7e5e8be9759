/** Preload (`node --require`): at SIGUSR2, collects garbage and prints the memory that remains. */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  console.log(`memory after garbage collection: ${process.memoryUsage.rss()} bytes`);
});
