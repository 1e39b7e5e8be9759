import type { Session } from '../../api/client';
import { queryClient, SESSION } from '../../api/query-client';
import { type Mapping, TARGETS } from './fields';

const MAX_FILES = 30;

/** Stored per person, like drafts. */
const keyOfPerson = () => `farmboard-csv-columns:${queryClient.getQueryData<Session>(SESSION)?.person?.email ?? ''}`;

type Stored = [headings: string, mapping: Mapping][];

const read = (): Stored => JSON.parse(localStorage.getItem(keyOfPerson()) ?? '[]');

const nameOf = (headings: string[]) => JSON.stringify(headings.map((heading) => heading.trim().toLowerCase()));

/** What the columns of a file with these headings were imported as the last time. */
export function recallMapping(headings: string[]): Mapping | undefined {
  const [, mapping] = read().find(([name]) => name === nameOf(headings)) ?? [];
  return mapping?.map((target) => TARGETS.find((known) => known === target) ?? null);
}

export function rememberMapping(headings: string[], mapping: Mapping): void {
  const others = read().filter(([name]) => name !== nameOf(headings));
  try {
    localStorage.setItem(keyOfPerson(), JSON.stringify([[nameOf(headings), mapping], ...others].slice(0, MAX_FILES)));
  } catch {
    // storage is full: the columns are guessed again
  }
}
