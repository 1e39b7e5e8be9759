// What people and expressions put into a field with several values. Each must match or be an error, in every such field.

const NBSP = '\u00a0';

/** Lists of `a` and `b`, and of nothing else. */
export const listsOf = (a: string, b: string): unknown[] => [
  [a, b],
  [b, a, a],
  [` ${a}`, `${b}\n`],
  [`${a}${NBSP}`, `${NBSP}\t${b}`],
  ['', a, b],
  [`${a},${b}`],
  [a, [b]],
  [JSON.stringify([a]), `${b},`],
  `${a},${b}`,
  ` ${a} , ${b} ,`,
  `,${a},,${b},${a}`,
  `${a},${NBSP}${b}`,
  `\ufeff${a},${b}`,
  `${a}\n${b}`,
  `\n${a}\r\n\r\n${b}\r\n`,
  JSON.stringify([a, b]),
  ` ${JSON.stringify([a, b], null, 2)} `,
  JSON.stringify([[a], [b]]),
  JSON.stringify(JSON.stringify([a, b])),
  JSON.stringify(`${a},${b}`),
  `={{ ["${a}","${b}"] }}`,
  `={{ ["${a}","${b}"] }} `,
  `= {{ ["${a}","${b}"] }}`,
  `={{ "${a},${b}" }}`,
  `={{ ["${a}"].concat([" ${b}"]) }}`,
  `={{ ["${a}","${b}"].join("\\n") }}`,
  `={{ JSON.stringify(["${a}","${b}"]) }}`,
  `={{ new Set(["${a}","${b}"]).size === 2 ? ["${a}","${b}"] : [] }}`,
  `={{ Object.values({ x: "${a}", y: "${b}" }) }}`,
];

/** Nothing in them can ever match. */
export const WRONG: unknown[] = [
  ['prnting'],
  'prnting',
  '={{ ["prnting"] }}',
  [null],
  [5],
  5,
  true,
  { a: 1 },
  [{ value: 'done' }],
  '={{ ({ name: "done" }) }}',
  '={{ [undefined] }}',
  '={{ $now }}',
  '={{ new Date(0) }}',
  '={{ new Set(["done"]) }}',
  '[done',
  '={{ [["x"], [NaN]] }}',
  '={{ "{\\"a\\":1}" }}',
  'constructor',
  ['__proto__', 'toString'],
];

/** Lists of `a` and `b` written in a way that no field takes. */
export const wrongListsOf = (a: string, b: string): unknown[] => [
  `${a};${b}`,
  `${a} ${b}`,
  `${a}\t${b}`,
  `${a}|${b}`,
  `${a}，${b}`,
  `'${a}','${b}'`,
  `"${a}","${b}"`,
  `["${a}","${b}"`,
  `${a}\u200b,${b}`,
  [a, `${b}!`],
  `={{ ["${a}", null] }}`,
  `={{ ({ "${a}": true, "${b}": true }) }}`,
  `={{ [{ name: "${a}" }, "${b}"] }}`,
];

/** An empty list, as the editor and expressions give it. */
export const EMPTY: unknown[] = [[], '', ' , ', [''], [[]], '[]', '[""]', NBSP, '={{ [] }}', '={{ "" }}'];

/** What an expression gives whose source is missing. */
export const MISSING: unknown[] = ['={{ undefined }}', '={{ null }}', '={{ $vars.missing }}'];
