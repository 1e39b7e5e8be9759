import { type Logger as Pino, pino } from 'pino';

export type Logger = Pino;

/** What is matched is JSON: a line break before a token is the two characters `\n`, and a quote ends the text. */
const SECRETS = [
  [/(?<=\b|\\[bfnrt]|\\u[0-9a-f]{4})(pat|agt|ses|set)_[0-9A-Za-z]{8,}/g, '$1_[hidden]'],
  // base64 of secrets as they are made now, base64url of older ones
  [/whsec_[0-9A-Za-z_+/=-]{8,}/g, 'whsec_[hidden]'],
  [/(\/\/[^/\s:@"]*:)[^/\s"]+@/g, '$1[hidden]@'],
  [/(https?:\/\/(?:hooks\.slack(?:-gov)?\.com|(?:[a-z]+\.)?discord(?:app)?\.com)\/)[^\s"\\]+/gi, '$1[hidden]'],
] as const;

/** Takes tokens, signing secrets, passwords in URLs and chat URLs out of a line, wherever in it they stand. */
export function scrub(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of SECRETS) clean = clean.replace(pattern, replacement);
  return clean;
}

/**
 * JSON lines on standard output. Scrubbing works on the finished line, because a secret inside an error's message or a
 * nested object is out of reach of redaction by path.
 */
export function createLogger(
  level: string,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => write(scrub(line)) },
  );
}
