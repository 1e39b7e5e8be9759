import { pino } from 'pino';
import type { Logger } from '../logger.ts';

/** A logger whose warnings and worse can be looked at. */
export function createTestLogger(): { logger: Logger; lines: { level: number; msg: string }[] } {
  const lines: { level: number; msg: string }[] = [];
  const logger = pino(
    { level: 'warn', base: undefined },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { logger, lines };
}
