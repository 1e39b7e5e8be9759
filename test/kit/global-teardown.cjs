// What was made once before all suites goes after them.
const { dropTemplate } = require('./template.cjs');

module.exports = dropTemplate;
