const WELCOME = 'Welcome to Farmboard. Create the owner account here (the link works once):';

/**
 * Formats the setup link for a terminal: alone on its line, in a box if it fits.
 * @param columns width of the terminal
 */
export function boxed(link: string, columns: number): string {
  const lines = ['', WELCOME, '', link, ''];
  const width = Math.max(...lines.map((line) => line.length)) + 4;
  // a wrapped line would break the box
  if (width + 2 > columns) {
    const rule = '─'.repeat(Math.max(1, columns));
    return [rule, ...lines, rule, ''].join('\n');
  }
  const rows = lines.map((line) => `│  ${line.padEnd(width - 4)}  │`);
  const edge = '─'.repeat(width);
  return [`┌${edge}┐`, ...rows, `└${edge}┘`, ''].join('\n');
}

/** The setup link on a line of its own, for the log of a container or a service manager. */
export const paragraphed = (link: string): string => ['', WELCOME, '', `  ${link}`, '', ''].join('\n');

/**
 * Writes the log to standard output. On a terminal it is held back until the setup link is shown, or until the process
 * exits.
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
