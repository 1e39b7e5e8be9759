// Loads a built package like n8n and prints the descriptions of its classes: describe.cjs FOLDER
// n8n takes the class from the file's name, so a package with a wrong name does not load.
const { basename, join } = require('node:path');

const folder = process.argv[2];
const { n8n } = require(join(folder, 'package.json'));

const load = (file) => {
  const name = basename(file).split('.')[0];
  const Class = require(join(folder, file))[name];
  if (typeof Class !== 'function') throw new Error(`${file} exports no class ${name}`);
  return { file, instance: new Class() };
};

const nodes = n8n.nodes.map(load).map(({ file, instance }) => ({ file, description: instance.description }));
const credentials = n8n.credentials.map(load).map(({ file, instance }) => ({
  file,
  icon: instance.icon,
  documentationUrl: instance.documentationUrl,
}));
process.stdout.write(JSON.stringify({ nodes, credentials }));
