/** What a command is given: its words and options, and nothing of the process. */
export interface CommandInput {
  words: string[];
  options: Record<string, string | undefined>;
}

/** A mistake in how a command was called: told in one line, with how to call it. */
export class UsageError extends Error {}

/** @throws UsageError when the option is missing */
export function required(input: CommandInput, name: string): string {
  const value = input.options[name];
  if (value === undefined) throw new UsageError(`--${name} is required. Run "farmboard help" for usage.`);
  return value;
}
