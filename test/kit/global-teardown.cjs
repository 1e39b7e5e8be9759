// What was made once before all suites goes after them.
const { removeTemplates } = require('./template.cjs');

module.exports = removeTemplates;
