// Loaded into n8n before its own code. Its handling of a trigger that cannot be activated or deactivated stays the
// same; only the unit of its growing pauses, a constant of a second, is replaced by TEST_RETRY_DELAY_MS. A failure is
// then reported at once instead of after 15 seconds.
const Module = require('node:module');

const NAMES = ['WORKFLOW_REACTIVATE_INITIAL_TIMEOUT', 'TRIGGER_TEARDOWN_RETRY_INITIAL_DELAY_MS'];
const delay = Number(process.env.TEST_RETRY_DELAY_MS);

const load = Module._load;
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (!request.endsWith('/constants') || loaded?.[NAMES[0]] === undefined) return loaded;
  for (const name of NAMES) if (loaded[name] !== undefined) loaded[name] = delay;
  Module._load = load;
  return loaded;
};
