// The environment of `npm run test:profile`: notes what a suite cost. It counts the processor time of the worker and of every
// process that the worker started and has seen end, as Linux keeps it; a Chromium shared by all suites is not in it.
const { appendFileSync, readFileSync } = require('node:fs');
const { TestEnvironment } = require('jest-environment-node');

const TICKS_PER_SECOND = 100;

/** utime, stime, cutime and cstime of proc_pid_stat(5), in seconds; 0 where there is no /proc */
function cpuSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

module.exports = class extends TestEnvironment {
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
    // what the helpers of the kit count up
    this.global.FARMBOARD_COUNTS = this.counts;
  }

  async teardown() {
    await super.teardown();
    const wall = (performance.now() - this.started.at) / 1000;
    const line = { suite: this.suite, wall, cpu: cpuSeconds() - this.started.cpu, ...this.counts };
    appendFileSync(process.env.FARMBOARD_TEST_PROFILE, `${JSON.stringify(line)}\n`);
  }
};
