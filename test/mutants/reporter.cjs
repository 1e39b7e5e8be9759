// Reports each test to the parent process as soon as it ends, as lines of JSON.
const { writeSync } = require('node:fs');
const { relative } = require('node:path');

const TO_PARENT = 3;
const tell = (report) => writeSync(TO_PARENT, `${JSON.stringify(report)}\n`);

module.exports = class {
  onTestCaseResult({ path, context }, { fullName: name, status, failureMessages: messages }) {
    const suite = relative(context.config.rootDir, path);
    if (status === 'passed' || status === 'failed') tell({ suite, name, status, messages });
  }

  onTestFileResult({ path, context }, { testExecError }) {
    const suite = relative(context.config.rootDir, path);
    if (testExecError) tell({ suite, status: 'broken', message: testExecError.message });
  }
};
