/** The arguments and options of a command. */
export interface CommandInput {
  words: string[];
  options: Record<string, string | undefined>;
}

/** An incorrect command line; printed as one line with the usage. */
export class UsageError extends Error {}

/** @throws UsageError if the option is missing */
export function required(input: CommandInput, name: string): string {
  const value = input.options[name];
  if (value === undefined) throw new UsageError(`--${name} is required. Run "farmboard help" for usage.`);
  return value;
}

/** @returns all of it, without the line break at its end */
export async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text.replace(/\r?\n$/, '');
}
