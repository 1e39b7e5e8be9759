import {
  type CollisionDetection,
  type DragMoveEvent,
  type DragStartEvent,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { useState } from 'react';
import { insert, type Placement, type Printer } from './placements';

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

/** The printers of a group after a drop; undefined if it changes nothing. */
function idsAfterDrop(ids: string[], dragged: string, { overId, side }: DropTarget): string[] | undefined {
  const others = ids.filter((id) => id !== dragged);
  const at = overId === undefined ? -1 : others.indexOf(overId) + (side === 'after' ? 1 : 0);
  const next = insert(ids, dragged, at < 0 ? null : (others[at] ?? null));
  return next.join() === ids.join() ? undefined : next;
}

/**
 * Printers are dragged within their group or to another one.
 * @param idsOf the printers of a group in their order
 * @returns also the props of the `DndContext`
 */
export function usePrinterDrag(idsOf: (groupId: string | null) => string[], place: (placement: Placement) => void) {
  const [dragged, setDragged] = useState<Printer>();
  const [dropTarget, setDropTarget] = useState<DropTarget>();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 5 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 8 } }),
  );

  /** Updates the insertion mark while dragging. */
  function show(event: DragMoveEvent) {
    const next = findDropTarget(event);
    setDropTarget((now) => (isSame(now, next) ? now : next));
  }

  function end() {
    setDragged(undefined);
    setDropTarget(undefined);
  }

  function drop(event: DragMoveEvent) {
    end();
    // computed again: the displayed mark may be from an earlier position
    const target = findDropTarget(event);
    if (!dragged || !target) return;
    const ids = idsAfterDrop(idsOf(target.groupId), dragged.id, target);
    if (ids) place({ group_id: target.groupId, ids });
  }

  const context = {
    sensors,
    collisionDetection: preferRows,
    onDragStart: ({ active }: DragStartEvent) => setDragged(active.data.current?.printer as Printer),
    onDragMove: show,
    onDragOver: show,
    onDragCancel: end,
    onDragEnd: drop,
  };
  return { dragged, dropTarget, context };
}
