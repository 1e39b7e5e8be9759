import { Problem, type Schemas } from '../api/client';

type MissingLetters = NonNullable<Schemas['Problem']['missing_letters']>;

/** The letters that the PDF can't show, by field, if an invoice can't be issued because of them. */
export const missingLettersOf = (error: unknown): MissingLetters =>
  error instanceof Problem ? ((error.facts.missing_letters ?? []) as MissingLetters) : [];
