import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Mapping, mapColumn, TARGETS, type Target } from './fields';
import type { CsvMessages } from './messages';
import classes from './preview.module.css';
import type { Table } from './table';

/** Fewer columns without a field are shown like the others. */
const MAX_IGNORED = 6;

interface ColumnsProps {
  table: Table;
  mapping: Mapping;
  setMapping(mapping: Mapping): void;
  labels: Record<Target, string>;
  csv: CsvMessages;
}

/** Chooses what each column of the file is imported as. */
export function Columns({ table, mapping, setMapping, labels, csv }: ColumnsProps) {
  // columns that had no field at first stay where they are when they get one
  const [ignored] = useState(() => mapping.flatMap((target, place) => (target === null ? [place] : [])));
  const [isOpen, setOpen] = useState(ignored.length <= MAX_IGNORED);
  const options = [
    { value: '', label: csv.notImported },
    ...TARGETS.map((target) => ({ value: target, label: labels[target] })),
  ];
  const places = table.headings.map((_, place) => place).filter((place) => isOpen || !ignored.includes(place));
  const without = mapping.flatMap((target, place) => (target === null ? [nameOf(place)] : []));
  return (
    <Stack gap="xs" component="section" aria-label={csv.columns}>
      <Text size="sm" fw={600}>
        {csv.columns}
      </Text>
      <Text size="sm" c="dimmed">
        {csv.columnsLead}
      </Text>
      <div className={classes.columns}>
        {places.map((place) => (
          <NativeSelect
            key={place}
            size="xs"
            label={nameOf(place)}
            description={exampleOf(place)}
            classNames={{ description: classes.example, label: classes.example }}
            data={options}
            value={mapping[place] ?? ''}
            onChange={({ currentTarget }) => {
              setMapping(mapColumn(mapping, place, TARGETS.find((target) => target === currentTarget.value) ?? null));
            }}
          />
        ))}
      </div>
      {without.length > 0 && <Text size="sm">{csv.ignored(without.join(', '))}</Text>}
      {!isOpen && (
        <Button size="xs" variant="default" w="fit-content" onClick={() => setOpen(true)}>
          {csv.mapIgnored}
        </Button>
      )}
    </Stack>
  );

  function nameOf(place: number) {
    return table.headings[place]?.trim() || csv.column(place + 1);
  }

  function exampleOf(place: number) {
    const cell = table.rows.map(({ cells }) => (cells[place] ?? '').trim()).find((text) => text !== '');
    return cell === undefined ? '\u00A0' : csv.example(cell);
  }
}
