import { Kbd, Select } from '@mantine/core';
import { type RefObject, useEffect, useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { usePrinters } from '../printers/use-printers';
import { SearchBox } from '../ui/search-box';

/** Debounce of the search before it is written to the URL. */
const SEARCH_WAIT_MS = 150;

interface SearchProps {
  className: string | undefined;
  q: string;
  setQ(q: string): void;
  /** the field, if a key moves the focus to it */
  box?: RefObject<HTMLInputElement | null>;
}

export function Search({ className, q, setQ, box }: SearchProps) {
  const { board } = useI18n().messages;
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the debounce
  useEffect(() => {
    if (typed === q) return;
    const waiting = setTimeout(() => setQ(typed), SEARCH_WAIT_MS);
    return () => clearTimeout(waiting);
  }, [typed]);
  const withKey = box && {
    ref: box,
    clear: board.clear,
    onKeyDown: (event: React.KeyboardEvent<HTMLInputElement>) => {
      if (event.key === 'Escape') event.currentTarget.blur();
    },
    ...(typed === '' && {
      rightSection: (
        <Kbd size="xs" visibleFrom="sm">
          /
        </Kbd>
      ),
    }),
  };
  return (
    <SearchBox
      className={className}
      label={board.search}
      placeholder={board.searchHint}
      value={typed}
      onChange={setTyped}
      {...withKey}
    />
  );
}

interface PrinterFilterProps {
  className: string | undefined;
  printerId: string | null;
  choose(id: string | null): void;
}

/** Renders nothing if the account has no printers. */
export function PrinterFilter({ className, printerId, choose }: PrinterFilterProps) {
  const { board } = useI18n().messages;
  const printers = usePrinters();
  if (printers.length === 0) return null;
  return (
    <Select
      size="xs"
      className={className}
      aria-label={board.printer}
      placeholder={board.anyPrinter}
      clearable
      searchable
      data={printers.map(({ id, name }) => ({ value: id, label: name }))}
      value={printerId}
      onChange={choose}
    />
  );
}
