/** A directive of nginx, with those of its block. */
export interface Directive {
  name: string;
  args: string[];
  block: Directive[];
}

/** Reads a configuration of nginx. */
export function parseNginxConfig(text: string): Directive[] {
  const tokens = text.match(/#.*|"(?:\\.|[^"])*"|'(?:\\.|[^'])*'|[{};]|[^\s;'"{}]+(?:\{[\d,]+\}[^\s;{}]*)*/g) ?? [];
  const root: Directive[] = [];
  const open = [root];
  let words: string[] = [];
  for (const token of tokens.filter((one) => !one.startsWith('#'))) {
    if (token === '}') open.pop();
    else if (token === ';' || token === '{') {
      const [name = '', ...args] = words;
      const directive: Directive = { name, args, block: [] };
      open.at(-1)?.push(directive);
      if (token === '{') open.push(directive.block);
      words = [];
    } else words.push(token);
  }
  if (open.length !== 1 || words.length > 0) throw new Error('the configuration of nginx is incomplete');
  return root;
}

export const allDirectives = (directives: Directive[]): Directive[] =>
  directives.flatMap((directive) => [directive, ...allDirectives(directive.block)]);
