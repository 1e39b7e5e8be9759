// Sends every request of a Postman collection, as Postman does, and prints the responses. What is deleted is deleted last.
//   node run-collection.cjs TOOLS COLLECTION TOKEN
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const [tools, file, token] = process.argv.slice(2);
const { Collection } = require(join(tools, 'node_modules/postman-collection'));

async function main() {
  const collection = new Collection(JSON.parse(readFileSync(file, 'utf8')));
  const variables = { ...collection.variables.toObject(), bearerToken: token };
  const fill = (text) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => variables[name] ?? `no variable ${name}`);
  const authorization = `Bearer ${fill(collection.auth.parameters().get('token'))}`;
  const items = [];
  collection.forEachItem((item) => items.push(item));
  const answers = [];
  for (const { name, request } of items.sort(
    (a, b) => (a.request.method === 'DELETE') - (b.request.method === 'DELETE'),
  )) {
    const { url, method, body } = request;
    const query = url.getQueryString();
    const address = fill(url.getHost()) + url.getPath() + (query ? `?${query}` : '');
    const headers = { ...request.getHeaders({ enabled: true }), Authorization: authorization };
    const response = await fetch(address, { method, headers, body: body?.toString() || undefined });
    answers.push({ name, method, address, status: response.status, text: await response.text() });
  }
  process.stdout.write(JSON.stringify(answers));
}

main();
