import { type Logger as Pino, pino } from 'pino';

export type Logger = Pino;

/** Patterns match the JSON text: a line break before a token is the two characters `\n`, and a quote ends the value. */
const SECRETS = [
  [/(?<=\b|\\[bfnrt]|\\u[0-9a-f]{4})(pat|agt|ses|set)_[0-9A-Za-z]{8,}/g, '$1_[hidden]'],
  // tokens of payment links and secrets of payment notifications; keys of Stripe
  [/(?<=\b|\\[bfnrt]|\\u[0-9a-f]{4})(pay|pnsec|[sr]k_(?:live|test))_[0-9A-Za-z]{16,}/g, '$1_[hidden]'],
  [/(\$argon2(?:id|i|d)\$)[^\s"\\]+/g, '$1[hidden]'],
  // base64 for new secrets, base64url for old ones
  [/whsec_[0-9A-Za-z_+/=-]{8,}/g, 'whsec_[hidden]'],
  [/(\/\/[^/\s:@"]*:)[^/\s"]+@/g, '$1[hidden]@'],
  [/(https?:\/\/(?:hooks\.slack(?:-gov)?\.com|(?:[a-z]+\.)?discord(?:app)?\.com)\/)[^\s"\\]+/gi, '$1[hidden]'],
  // chat services on hosts of their own: Mattermost and Rocket.Chat, Slack's and Discord's paths
  [/(\/hooks\/)[0-9A-Za-z]{17,}(?:\/[\w-]+)?/g, '$1[hidden]'],
  [/(\/services\/)T[0-9A-Z]+\/B[0-9A-Z]+\/[0-9A-Za-z]+/g, '$1[hidden]'],
  [/(\/api\/(?:v\d+\/)?webhooks\/)\d+\/[\w-]+/g, '$1[hidden]'],
] as const;

/** Hides tokens, secrets, password hashes, passwords in URLs and chat URLs anywhere in a line. */
export function scrub(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean;
}

/**
 * Writes JSON lines to standard output. Secrets are hidden in the finished line, because redaction by path does not
 * reach them inside error messages or nested objects.
 */
export function createLogger(
  level: string,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // PostgreSQL repeats values there: "Key (email)=(…) already exists."; Redis what was sent to it, such as its password
      redact: { paths: ['err.detail', 'err.command.args'], remove: true },
    },
    { write: (line: string) => write(scrub(line)) },
  );
}
