// The environment of `npm run test:profile`: records the cost of each suite. It counts the processor time of the worker
// and of every process the worker started and waited for, from Linux' /proc. Most of Chromium's is not included, because
// Chromium is killed and its processes wait for nobody.
const { appendFileSync, readFileSync } = require('node:fs');
const Environment = require('./environment.cjs');

const TICKS_PER_SECOND = 100;

/** utime, stime, cutime and cstime of proc_pid_stat(5), in seconds; 0 without /proc. */
function cpuSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

module.exports = class extends Environment {
  constructor(config, context) {
    super(config, context);
    this.suite = [
      config.projectConfig.displayName?.name,
      context.testPath.slice(config.globalConfig.rootDir.length + 1),
    ]
      .filter(Boolean)
      .join(' ');
    this.started = { at: performance.now(), cpu: cpuSeconds() };
    this.counts = { services: 0, commands: 0, databases: 0 };
    // counted by the helpers in test/kit
    this.global.FARMBOARD_COUNTS = this.counts;
  }

  async teardown() {
    await super.teardown();
    const wall = (performance.now() - this.started.at) / 1000;
    const line = { suite: this.suite, wall, cpu: cpuSeconds() - this.started.cpu, ...this.counts };
    appendFileSync(process.env.FARMBOARD_TEST_PROFILE, `${JSON.stringify(line)}\n`);
  }
};
