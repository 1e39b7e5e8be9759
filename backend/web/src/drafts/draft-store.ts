import type { Session } from '../api/api';
import { queryClient, SESSION } from '../api/query-client';

/** What was typed into a form and not saved yet. */
export interface Draft<Values> {
  /** the record as the form began with it */
  began: Values;
  values: Values;
}

const PREFIX = 'farmboard-draft:';
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Drafts belong to whoever is signed in: nobody else at this browser is shown them. */
const prefixOfPerson = () => `${PREFIX}${queryClient.getQueryData<Session>(SESSION)?.person?.email ?? ''}:`;

export const readDraft = <Values>(name: string): Draft<Values> | undefined =>
  JSON.parse(localStorage.getItem(prefixOfPerson() + name) ?? 'null') ?? undefined;

export function writeDraft<Values>(name: string, draft: Draft<Values>): void {
  try {
    localStorage.setItem(prefixOfPerson() + name, JSON.stringify({ ...draft, at: Date.now() }));
  } catch {
    // no room: the question before leaving is what remains
  }
}

export const removeDraft = (name: string) => localStorage.removeItem(prefixOfPerson() + name);

const keys = (prefix: string) => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** At sign-out: all drafts of the person who was signed in. */
export function clearDrafts(): void {
  for (const key of keys(prefixOfPerson())) localStorage.removeItem(key);
}

/** Drafts that nobody came back to, of records that may be gone by now. */
export function removeOldDrafts(): void {
  for (const key of keys(PREFIX)) {
    const { at = 0 } = JSON.parse(localStorage.getItem(key) ?? '{}') as { at?: number };
    if (at < Date.now() - MAX_AGE_MS) localStorage.removeItem(key);
  }
}
