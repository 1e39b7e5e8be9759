// Rules that are in n8n's repository but in no published linter yet (2026-11): checked on the built descriptions and printed
// as notes without counting. Remove this file when a published linter has them.

/** @import { Property } from './types.d.ts' */

/**
 * Every parameter of a description with its path, including those in collections.
 * @param {Property[]} properties
 * @returns {Generator<Property & { path: string, top: boolean }>}
 */
function* parameters(properties, path = '') {
  for (const property of properties) {
    const here = `${path}${property.name}`;
    yield { ...property, path: here, top: path === '' };
    if (property.type === 'collection') yield* parameters(property.options, `${here}.`);
    if (property.type === 'fixedCollection')
      for (const group of property.options) yield* parameters(group.values, `${here}.${group.name}.`);
  }
}

/** @type {(names: string[]) => boolean} */
const sorted = (names) =>
  names.every((name, index) => (names[index - 1] ?? '').localeCompare(name, undefined, { sensitivity: 'base' }) <= 0);

/**
 * The violations of one parameter.
 * @param {Property & { path: string, top: boolean }} parameter
 */
function notesOf({ path, top, type, name, options, hint, required }) {
  const choices = (type === 'options' || type === 'multiOptions') && Array.isArray(options) ? options : [];
  const found = [];
  if (type === 'options' && !sorted(choices.map((choice) => choice.name)))
    found.push(`${path}: options not sorted (options-sorted-alphabetically)`);
  if (choices.some((choice) => choice.name.includes('*')))
    found.push(`${path}: an asterisk in an option's name (no-asterisk-in-option-names)`);
  if (new Set(choices.map((choice) => choice.value)).size !== choices.length)
    found.push(`${path}: two options with one value (no-duplicate-param-options)`);
  if (hint !== undefined && hint.length > 120)
    found.push(`${path}: a hint of ${hint.length} characters (hint-max-length)`);
  if (top && type === 'json' && !required) found.push(`${name}: an optional JSON field (open-ended-node-fields)`);
  return found;
}

/**
 * @param {import('./types.d.ts').Described} described
 * @returns one sentence for each violation of a coming rule
 */
export function notes({ nodes }) {
  return nodes.flatMap(({ className, description, execute }) => {
    const found = [...parameters(description.properties)].flatMap(notesOf);
    if (execute !== null && !execute.includes('continueOnFail'))
      found.push('execute() does not ask continueOnFail() (require-continue-on-fail)');
    return found.map((note) => `${className}: ${note}`);
  });
}
