// Removes what was created before all suites.
const { removeTemplates } = require('./template.cjs');

module.exports = removeTemplates;
