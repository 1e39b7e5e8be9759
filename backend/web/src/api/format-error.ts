import { Problem } from './api';
import type { Words } from '../i18n/messages';

/** A sentence for a person about what went wrong. */
export const sayProblem = (error: Error, words: Words): string =>
  error instanceof Problem ? words.problem(error.code, error.message) : error.message;
