import type { Messages } from '../i18n/messages';
import { Problem } from './api';

/** A sentence for a person about what went wrong. */
export const formatError = (error: Error, messages: Messages): string =>
  error instanceof Problem ? messages.problem(error.code, error.message) : error.message;
