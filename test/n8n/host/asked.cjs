// FARMBOARD_N8N=2.8.4 runs the suites only in the n8n's whose name holds that text.
const hosts = require('./hosts.json');

exports.askedHosts = () => {
  const asked = hosts.filter(({ slug }) => slug.includes(process.env.FARMBOARD_N8N ?? ''));
  if (asked.length === 0) throw new Error(`no n8n fits FARMBOARD_N8N=${process.env.FARMBOARD_N8N}`);
  return asked;
};
