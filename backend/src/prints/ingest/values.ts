import { lookupTable } from '../../../../common/src/lookup-table.ts';

/** One token of what Python prints for a dictionary; a string is in group 1 or 2. */
const TOKEN =
  /\s+|[[\]{}(),:]|[-+]?[\d.]+(?:e[-+]?\d+)?|\b(?:true|True|false|False|null|None|NaN|Infinity)\b|[bu]?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/sy;

const REPLACED = lookupTable<string>({
  True: 'true',
  False: 'false',
  None: 'null',
  NaN: 'null',
  Infinity: 'null',
  '(': '[',
  ')': ']',
});

const toJsonString = (text: string): string =>
  JSON.stringify(
    text
      .replace(/\\[ntr]/g, ' ')
      .replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gis, (_, byte, unit, sign) =>
        sign === undefined ? String.fromCharCode(Number.parseInt(byte ?? unit, 16)) : sign,
      ),
  );

/** Longer texts are not read. */
const MAX_PYTHON = 20_000;

/**
 * What Python prints for a dictionary, as JSON: a template with text around a variable sends that. Undefined if it is
 * something else.
 */
function pythonToJson(text: string): string | undefined {
  if (text.length > MAX_PYTHON) return undefined;
  let json = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [token, single, double] = TOKEN.exec(text) ?? [];
    if (token === undefined) return undefined;
    const quoted = single ?? double;
    json += quoted === undefined ? (REPLACED.get(token) ?? token) : toJsonString(quoted);
  }
  return json;
}

function parseOrUndefined(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

export type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How often a text may contain JSON that is itself a text. */
const MAX_LAYERS = 3;

/** The object that a value is, or that its text contains as JSON or as Python prints it. */
export function toFields(value: unknown): Fields | undefined {
  let inner = value;
  for (let layer = 0; layer < MAX_LAYERS && typeof inner === 'string'; layer++) {
    inner = parseOrUndefined(inner) ?? parseOrUndefined(pythonToJson(inner));
  }
  return isFields(inner) ? inner : undefined;
}

/** `@extra.name`, `{event_name}`, `{{ name }}`, `{% … %}`, `${name}`, `%(name)s` and what stands for nothing */
const UNFILLED =
  /^@[a-z_]\w*(?:\.\w+)*$|^\$?\{.*\}$|\{\{.*\}\}|\{%.*%\}|\{\s*event_(?:name|args|message)\b|%\(\w+\)[a-z]|^(?:none|null|undefined|nan|\[object object\])$/is;

const MAX_TEMPLATE = 500;

/** Names of files may begin with the sign of a variable. */
const PRINT_FILE = /\.(?:b?gcode|gco|g|3mf|ufp|nc)$/i;

/** Whether a text is a template that its program did not fill in, or filled in with nothing. */
export const isUnfilled = (text: string): boolean => {
  const trimmed = text.trim().slice(0, MAX_TEMPLATE);
  return UNFILLED.test(trimmed) && !(trimmed.startsWith('@') && PRINT_FILE.test(trimmed));
};
