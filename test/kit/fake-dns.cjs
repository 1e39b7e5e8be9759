/**
 * Preload (`node --require`) that replaces the system's name server in this process: FAKE_DNS is a JSON object of names
 * with what each lookup returns; the last answer repeats. Every other name is unknown.
 */
const dns = require('node:dns/promises');
const { syncBuiltinESMExports } = require('node:module');

const names = new Map(Object.entries(JSON.parse(process.env.FAKE_DNS)));

dns.lookup = async (name) => {
  const [answer = [], ...later] = names.get(name) ?? [];
  if (later.length > 0) names.set(name, later);
  if (answer.length === 0) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
syncBuiltinESMExports();
