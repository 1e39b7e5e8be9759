import { MAX_SECRET_FILE_BYTES } from '../../config/config.ts';

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

/**
 * Reads a password or key.
 * @returns all of it, without the line break at its end
 * @throws UsageError if it is longer than such a thing can be
 */
export async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_SECRET_FILE_BYTES)
      throw new UsageError(`There are more than ${MAX_SECRET_FILE_BYTES} characters on standard input.`);
  }
  return text.replace(/\r?\n$/, '');
}
