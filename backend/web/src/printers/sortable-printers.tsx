import {
  type CollisionDetection,
  DndContext,
  type DragMoveEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { useCallbackRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { lastReportsQuery, refusedCountsQuery } from './agents/agents-api';
import { type GroupActions, GroupSection } from './group-section';
import { MESSAGES } from './messages';
import type { Printer } from './placements';
import { byGroup, insert } from './placements';
import { type Direction, moveButtonId, PrinterRow } from './printer-row';
import classes from './printers.module.css';
import { type Group, printersApi, usePrinterLoad, usePrinterMutation, useReorder } from './printers-api';

/** Where a dragged printer would be inserted. */
interface DropTarget {
  groupId: string | null;
  /** the row it would be next to; undefined for the end */
  overId: string | undefined;
  side: 'before' | 'after';
}

/** Prefers the row under the pointer over its group. */
const preferRows: CollisionDetection = (args) => {
  const under = pointerWithin(args);
  return under.filter(({ id }) => !String(id).startsWith('group-')).concat(under);
};

function findDropTarget({ active, over, activatorEvent, delta }: DragMoveEvent): DropTarget | undefined {
  if (!over || over.id === active.id) return undefined;
  const data = over.data.current as { printer?: Printer; groupId?: string | null };
  if (!data.printer) return { groupId: data.groupId ?? null, overId: undefined, side: 'after' };
  const startY = activatorEvent instanceof MouseEvent ? activatorEvent.clientY : 0;
  const touch = 'touches' in activatorEvent ? (activatorEvent as TouchEvent).touches[0]?.clientY : undefined;
  const pointerY = (touch ?? startY) + delta.y;
  const side = pointerY < over.rect.top + over.rect.height / 2 ? 'before' : 'after';
  return { groupId: data.printer.group_id, overId: data.printer.id, side };
}

const isSame = (a: DropTarget | undefined, b: DropTarget | undefined) =>
  a?.overId === b?.overId && a?.groupId === b?.groupId && a?.side === b?.side;

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
  const [dragged, setDragged] = useState<Printer>();
  const [dropTarget, setDropTarget] = useState<DropTarget>();
  const [moved, setMoved] = useState<{ id: string; direction: Direction; announcement: string }>();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 5 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 8 } }),
  );
  const all = byGroup(printers);
  const inGroup = (id: string | null) => all.get(id) ?? [];

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

  /** Updates the insertion mark while dragging. */
  function show(event: DragMoveEvent) {
    const next = findDropTarget(event);
    setDropTarget((now) => (isSame(now, next) ? now : next));
  }

  function end() {
    setDragged(undefined);
    setDropTarget(undefined);
  }

  function finish(event: DragMoveEvent) {
    end();
    // computed again: the displayed mark may be from an earlier position
    const dropTarget = findDropTarget(event);
    if (!dragged || !dropTarget) return;
    const ids = inGroup(dropTarget.groupId).map(({ id }) => id);
    const others = ids.filter((id) => id !== dragged.id);
    const at =
      dropTarget.overId === undefined ? -1 : others.indexOf(dropTarget.overId) + (dropTarget.side === 'after' ? 1 : 0);
    const next = insert(ids, dragged.id, at < 0 ? null : (others[at] ?? null));
    if (next.join() !== ids.join()) place({ group_id: dropTarget.groupId, ids: next });
  }

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
    <DndContext
      sensors={sensors}
      collisionDetection={preferRows}
      onDragStart={({ active }) => setDragged(active.data.current?.printer as Printer)}
      onDragMove={show}
      onDragOver={show}
      onDragCancel={end}
      onDragEnd={finish}
    >
      <div role="status" className={classes.hidden}>
        {moved?.announcement}
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
