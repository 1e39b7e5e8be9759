import type { Messages } from '../i18n/messages';
import { Problem } from './api';

/** The message to show for an error. */
export const formatError = (error: Error, messages: Messages): string =>
  error instanceof Problem ? messages.problem(error.code, error.message) : error.message;
