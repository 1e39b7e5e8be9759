const SAID = 'Welcome to Farmboard. Create the owner account here (the link works once):';

/**
 * The set-up link as somebody at a terminal finds it: alone on its line, in a box where one fits.
 * @param columns of the terminal
 */
export function boxed(link: string, columns: number): string {
  const lines = ['', SAID, '', link, ''];
  const width = Math.max(...lines.map((line) => line.length)) + 4;
  // a line that is broken by the terminal would break its box too
  if (width + 2 > columns) {
    const rule = '─'.repeat(Math.max(1, columns));
    return [rule, ...lines, rule, ''].join('\n');
  }
  const rows = lines.map((line) => `│  ${line.padEnd(width - 4)}  │`);
  const edge = '─'.repeat(width);
  return [`┌${edge}┐`, ...rows, `└${edge}┘`, ''].join('\n');
}

/**
 * Where the log goes: to standard output, on a terminal not before the set-up link could be shown above it. However the
 * process ends, what was held back is written.
 */
export function createOutput(stdout: Pick<NodeJS.WriteStream, 'write'>, isTerminal: boolean) {
  let held: string[] | undefined = isTerminal ? [] : undefined;
  function release(): void {
    const lines = held ?? [];
    held = undefined;
    for (const line of lines) stdout.write(line);
  }
  if (isTerminal) process.once('exit', release);
  return {
    write(line: string): void {
      if (held) held.push(line);
      else stdout.write(line);
    },
    release,
  };
}
