// FARMBOARD_N8N=2.8.4 runs the suites only in the n8n versions whose name contains that text; commas separate several.
const hosts = require('./hosts.json');

exports.askedHosts = () => {
  const wanted = (process.env.FARMBOARD_N8N ?? '').split(',');
  const asked = hosts.filter(({ slug }) => wanted.some((text) => slug.includes(text)));
  if (asked.length === 0) throw new Error(`no n8n fits FARMBOARD_N8N=${process.env.FARMBOARD_N8N}`);
  return asked;
};
