import { pino } from 'pino';
import type { Logger } from '../../common/src/logger.ts';

/** A logger that keeps its lines. */
export function createTestLogger(level = 'warn'): { logger: Logger; lines: { level: number; msg: string }[] } {
  const lines: { level: number; msg: string }[] = [];
  const logger = pino({ level, base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}
