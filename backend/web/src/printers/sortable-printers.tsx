import { DndContext, DragOverlay } from '@dnd-kit/core';
import { useCallbackRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { lastReportsQuery, refusedCountsQuery } from './agents/agents-api';
import { type GroupActions, GroupSection } from './group-section';
import { MESSAGES } from './messages';
import { byGroup, type Placement, type Printer } from './placements';
import { type Direction, moveButtonId, PrinterRow } from './printer-row';
import classes from './printers.module.css';
import { type Group, printersApi, usePrinterLoad, usePrinterMutation, useReorder } from './printers-api';
import { usePrinterDrag } from './use-printer-drag';

interface SortablePrintersProps {
  printers: Printer[];
  groups: Group[];
  /** filter: only matching printers are shown and none can be moved; null shows all */
  fits: ((printer: Printer) => boolean) | null;
  edit(printer: Printer): void;
  remove(printer: Printer): void;
  rename(group: Group): void;
  agents(group: Group): void;
  removeGroup(group: Group): void;
}

/** Moves a printer up or down within its group with a button, which keeps the focus. */
function useMoveByStep(inGroup: (id: string | null) => Printer[], place: (placement: Placement) => void) {
  const messages = useMessages(MESSAGES);
  const [moved, setMoved] = useState<{ id: string; direction: Direction; announcement: string }>();

  // moving the row in the DOM takes the focus from its button
  useEffect(() => {
    if (!moved) return;
    const { id, direction } = moved;
    const buttons = [direction, direction === 'up' ? 'down' : 'up'] as const;
    const free = buttons
      .map((each) => document.getElementById(moveButtonId(each, id)) as HTMLButtonElement | null)
      .find((button) => button && !button.disabled);
    free?.focus();
  }, [moved]);

  function moveByStep(printer: Printer, direction: Direction) {
    const rows = inGroup(printer.group_id);
    const to = rows.findIndex(({ id }) => id === printer.id) + (direction === 'up' ? -1 : 1);
    const ids = rows.map(({ id }) => id).filter((id) => id !== printer.id);
    ids.splice(to, 0, printer.id);
    place({ group_id: printer.group_id, ids });
    setMoved({ id: printer.id, direction, announcement: messages.placed(printer.name, to + 1, ids.length) });
  }

  return { announcement: moved?.announcement, moveByStep };
}

/** The printers by group in the owner's order, reordered by dragging or with buttons. */
export function SortablePrinters({
  printers,
  groups,
  fits,
  edit,
  remove,
  rename,
  agents,
  removeGroup,
}: SortablePrintersProps) {
  const messages = useMessages(MESSAGES);
  const place = useReorder();
  const placeGroups = usePrinterMutation(printersApi.placeGroups);
  const load = usePrinterLoad().data;
  const last = useQuery(lastReportsQuery).data;
  const refused = useQuery(refusedCountsQuery).data;
  const all = byGroup(printers);
  const inGroup = (id: string | null) => all.get(id) ?? [];
  const { dragged, dropTarget, context } = usePrinterDrag((groupId) => inGroup(groupId).map(({ id }) => id), place);
  const { announcement, moveByStep } = useMoveByStep(inGroup, place);

  function moveGroupByStep(index: number, by: number) {
    const ids = groups.map(({ id }) => id);
    ids.splice(index + by, 0, ...ids.splice(index, 1));
    placeGroups.mutate(ids);
  }

  const moveByStepCallback = useCallbackRef(moveByStep);
  const editCallback = useCallbackRef(edit);
  const removeCallback = useCallbackRef(remove);
  const rowsOf = (rows: Printer[]) =>
    rows.map(
      (printer, index) =>
        (!fits || fits(printer)) && (
          <PrinterRow
            key={printer.id}
            printer={printer}
            load={load?.get(printer.id)}
            last={last?.get(printer.id)}
            refused={refused?.get(printer.id) ?? 0}
            dropTarget={dropTarget?.overId === printer.id ? dropTarget.side : undefined}
            isMovable={!fits}
            isFirst={index === 0}
            isLast={index === rows.length - 1}
            step={moveByStepCallback}
            edit={editCallback}
            remove={removeCallback}
          />
        ),
    );
  const actionsOf = (index: number): GroupActions => ({
    rename,
    agents,
    remove: removeGroup,
    up: index === 0 ? undefined : () => moveGroupByStep(index, -1),
    down: index === groups.length - 1 ? undefined : () => moveGroupByStep(index, 1),
  });
  const loose = inGroup(null);
  const isShown = (rows: Printer[]) => !fits || rows.some(fits);

  return (
    <DndContext {...context}>
      <div role="status" className={classes.hidden}>
        {announcement}
      </div>
      {groups.map(
        (group, index) =>
          isShown(inGroup(group.id)) && (
            <GroupSection
              key={group.id}
              group={group}
              title={group.name}
              count={inGroup(group.id).length}
              actions={actionsOf(index)}
            >
              {rowsOf(inGroup(group.id))}
            </GroupSection>
          ),
      )}
      {/* also a drop target once there are groups */}
      {(loose.length > 0 || dragged) && isShown(loose) && (
        <GroupSection
          group={null}
          title={groups.length > 0 ? messages.noGroup : undefined}
          count={loose.length}
          actions={undefined}
        >
          {rowsOf(loose)}
        </GroupSection>
      )}
      <DragOverlay dropAnimation={null}>{dragged && <div className={classes.lifted}>{dragged.name}</div>}</DragOverlay>
    </DndContext>
  );
}
