import type { Session } from '../api/client';
import { queryClient, SESSION } from '../api/query-client';
import { DAY_MS } from '../time';

/** Unsaved form values. */
export interface Draft<Values> {
  /** the record when editing began */
  began: Values;
  values: Values;
}

const PREFIX = 'farmboard-draft:';
const MAX_AGE_MS = 30 * DAY_MS;

/** Drafts are stored per person, so nobody else using this browser sees them. */
const prefixOfPerson = () => `${PREFIX}${queryClient.getQueryData<Session>(SESSION)?.person?.email ?? ''}:`;

export const readDraft = <Values>(name: string): Draft<Values> | undefined =>
  JSON.parse(localStorage.getItem(prefixOfPerson() + name) ?? 'null') ?? undefined;

export function writeDraft<Values>(name: string, draft: Draft<Values>): void {
  try {
    localStorage.setItem(prefixOfPerson() + name, JSON.stringify({ ...draft, at: Date.now() }));
  } catch {
    // storage is full: the leave confirmation still protects the changes
  }
}

export const removeDraft = (name: string) => localStorage.removeItem(prefixOfPerson() + name);

const keys = (prefix: string) => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** Deletes all drafts of the person who signs out. */
export function clearDrafts(): void {
  for (const key of keys(prefixOfPerson())) localStorage.removeItem(key);
}

/** Deletes abandoned drafts, whose records may no longer exist. */
export function removeOldDrafts(): void {
  for (const key of keys(PREFIX)) {
    const { at = 0 } = JSON.parse(localStorage.getItem(key) ?? '{}') as { at?: number };
    if (at < Date.now() - MAX_AGE_MS) localStorage.removeItem(key);
  }
}
