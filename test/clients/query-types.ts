import type { Root, Schema } from './document.ts';

interface Checked {
  /** values that the type of a parameter must have */
  right: unknown[];
  /** values that it must not have */
  wrong: unknown[];
}

/** @throws Error for a schema that no client was tried with */
function valuesOf({ type, enum: values, minimum, maximum, items }: Schema): Checked {
  if (type === 'array' && items?.enum) {
    const [one] = items.enum;
    return { right: [[], [one], items.enum], wrong: [one, ['nothing'], [0], true] };
  }
  if (type === 'array' && items?.type === 'string')
    return { right: [[], ['text'], ['text', 'more']], wrong: ['text', [0], true] };
  if (values) return { right: values, wrong: ['nothing', 0, true, [values[0]]] };
  if (type === 'integer') return { right: [minimum, maximum], wrong: [String(minimum), true, [minimum]] };
  if (type === 'boolean') return { right: [true, false], wrong: ['true', 1] };
  if (type === 'string') return { right: ['text'], wrong: [1, true, ['text']] };
  throw new Error(`no values for a query parameter of the type ${type}`);
}

const pascal = (operationId: string) => operationId[0]?.toUpperCase() + operationId.slice(1);

/** For each client, the type of one parameter and what it has to import. */
const CLIENTS: {
  file: string;
  importOf(operations: string[]): string;
  typeOf(operationId: string, name: string): string;
}[] = [
  {
    file: 'openapi-fetch',
    importOf: () => "import type { operations } from './openapi-fetch';",
    typeOf: (operationId, name) => `NonNullable<operations['${operationId}']['parameters']['query']>['${name}']`,
  },
  {
    file: 'hey-api',
    importOf: (ids) => `import type { ${ids.map((id) => `${pascal(id)}Data`).join(', ')} } from './hey-api/types.gen';`,
    typeOf: (operationId, name) => `NonNullable<${pascal(operationId)}Data['query']>['${name}']`,
  },
  {
    file: 'orval',
    importOf: (ids) => `import type { ${ids.map((id) => `${pascal(id)}Params`).join(', ')} } from './orval';`,
    typeOf: (operationId, name) => `${pascal(operationId)}Params['${name}']`,
  },
];

/**
 * Programs for the compiler: every query parameter of a document takes what its schema allows, and nothing else.
 * @returns by the name of the file, and how many parameters there are
 */
export function checkQueryTypes(document: Root): { files: Record<string, string>; count: number } {
  const parameters = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters }) =>
      parameters.filter((one) => one.in === 'query').map(({ name, schema }) => ({ operationId, name, schema })),
    );
  const ids = [...new Set(parameters.map(({ operationId }) => operationId))];
  const files = CLIENTS.map(({ file, importOf, typeOf }) => {
    const checks = parameters.map(({ operationId, name, schema }) => {
      const { right, wrong } = valuesOf(schema);
      const type = `${operationId}_${name}`;
      return [
        `type ${type} = ${typeOf(operationId, name)};`,
        ...right.map((value) => `take<${type}>(${JSON.stringify(value)});`),
        ...wrong.map((value) => `// @ts-expect-error\ntake<${type}>(${JSON.stringify(value)});`),
      ].join('\n');
    });
    const text = [importOf(ids), 'declare function take<T>(value: T): void;', ...checks, 'export {};'].join('\n');
    return [`query-of-${file}.ts`, ids.length === 0 ? 'export {};' : text];
  });
  return { files: Object.fromEntries(files), count: parameters.length };
}
