/** Preload (`node --require`): at SIGUSR2, collects garbage and logs the memory that remains, in bytes. */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  console.log(JSON.stringify({ level: 30, rss: process.memoryUsage.rss() }));
});
