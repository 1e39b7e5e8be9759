import { Problem } from '../api/client';
import type { Messages } from './messages';

/** The message to show for an error. */
export const formatError = (error: Error, messages: Messages): string =>
  !(error instanceof Problem)
    ? error.message
    : error.code === 'unreachable' && !navigator.onLine
      ? messages.error.offlineFailed
      : messages.problem(error.code, error.message);
