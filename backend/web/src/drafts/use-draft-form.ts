import { type FormRulesRecord, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './banner-messages';
import { changesOf, type FieldName, isSame, mergeRecord, pickField } from './changes';
import { readDraft, removeDraft, writeDraft } from './draft-store';
import { registerUnsaved, release } from './leave-guard';

/** A field that two people changed to different values. */
export interface Conflict<Values> {
  name: FieldName<Values>;
  mine: Values;
  theirs: Values;
  /** undefined until one is picked; the pick can be changed until it is saved */
  picked: 'mine' | 'theirs' | undefined;
}

export interface DraftForm<Values extends object> {
  form: UseFormReturnType<Values>;
  /** the record that the edits are based on; differences from it are the edits */
  initial: Values;
  isDirty: boolean;
  /** fields that were changed elsewhere while others were edited, and adopted */
  adopted: FieldName<Values>[];
  conflicts: Conflict<Values>[];
  /** whether a conflict is left, so that saving would overwrite what somebody else entered */
  isUndecided: boolean;
  pick(conflict: Conflict<Values>, whose: 'mine' | 'theirs'): void;
  /** restored from a draft of an earlier visit */
  isRestored: boolean;
  discard(): void;
  /** @param sent the saved values; fields edited since then keep their edits */
  saved(stored: Values, sent: Values): void;
}

/** A conflict that was decided, with the values typed here. */
interface Decided<Values> {
  name: FieldName<Values>;
  mine: Values;
}

function toConflict<Values extends object>(
  name: FieldName<Values>,
  values: Values,
  record: Values,
  { isOpen, decided, together }: { isOpen: boolean; decided: Decided<Values>[]; together: FieldName<Values>[] },
): Conflict<Values> {
  const isTheirs = isSame(pickField(values, name, together), pickField(record, name, together));
  return {
    name,
    mine: (isTheirs && decided.find((one) => one.name === name)?.mine) || values,
    theirs: record,
    picked: isOpen ? undefined : isTheirs ? 'theirs' : 'mine',
  };
}

interface Options<Values> {
  validate?: FormRulesRecord<Values>;
  /** fields that mean nothing without each other, such as an amount and its currency */
  together?: FieldName<Values>[];
  /** whether `record` only has the initial values of a new record, which nobody else can change */
  isNew?: boolean;
  /** false for the short form of a dialog: leaving it drops the edits without asking, and nothing is stored */
  isKept?: boolean;
}

/**
 * A form that keeps unsaved changes: it asks before it is left and stores edits in this browser until they are saved or
 * discarded. What is changed elsewhere meanwhile is merged field by field. What may be a secret must not be kept.
 * @param name storage name of the draft, such as `order:<id>`; a new name needs a new instance of the form
 * @param record the current server values; adopted whenever nothing is being edited
 */
export function useDraftForm<Values extends object>(
  name: string,
  record: Values,
  { validate = {}, together = [], isNew = false, isKept = true }: Options<Values> = {},
): DraftForm<Values> {
  const { unsaved } = useMessages(MESSAGES);
  const [kept, setKept] = useState(() => (isKept ? readDraft<Values>(name) : undefined));
  // drafts of older console versions may lack fields
  const [initial, setInitial] = useState<Values>({ ...record, ...kept?.began });
  const [adopted, setAdopted] = useState<FieldName<Values>[]>([]);
  const [decided, setDecided] = useState<Decided<Values>[]>([]);
  const form = useForm<Values>({ initialValues: { ...record, ...kept?.values }, validate });
  const wasDirty = useRef(kept !== undefined);
  const isDirty = !isSame(form.values, initial) && !isSame(form.values, record);
  const isBehind = !isSame(initial, record);
  const open = isDirty && !isNew ? mergeRecord(initial, form.values, record, together).conflicts : [];

  function begin(from: Values, shown = from) {
    release(name);
    removeDraft(name);
    setKept(undefined);
    setInitial(from);
    setAdopted([]);
    setDecided([]);
    form.setValues(shown);
  }

  function merge() {
    const merged = mergeRecord(initial, form.getValues(), record, together);
    setInitial(merged.initial);
    setAdopted((before) => [...new Set([...before, ...merged.adopted])]);
    form.setValues(merged.values);
  }

  function saved(stored: Values, sent: Values) {
    begin(stored, { ...stored, ...changesOf(form.getValues(), sent) });
  }

  function pick({ name: field, mine, theirs }: Conflict<Values>, whose: 'mine' | 'theirs') {
    setDecided((before) => [...before.filter((one) => one.name !== field), { name: field, mine }]);
    setInitial((before) => ({ ...before, ...pickField(theirs, field, together) }));
    form.setValues({ ...form.getValues(), ...pickField(whose === 'mine' ? mine : theirs, field, together) });
  }

  const recordText = JSON.stringify(record);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `record`, `begin` and `merge` change on every render
  useEffect(() => {
    if (!isBehind || (isNew && isDirty)) return;
    // after a conflict was decided, the decision can still be changed
    if (isDirty || decided.length > 0) merge();
    else begin(record);
  }, [isDirty, isBehind, recordText]);

  useEffect(() => {
    if (!isKept) return;
    if (isDirty) writeDraft(name, { began: initial, values: form.values });
    else if (wasDirty.current) removeDraft(name);
    wasDirty.current = isDirty;
  }, [name, isKept, isDirty, initial, form.values]);

  // updated on every render, because discarding needs the latest record
  useEffect(() => {
    if (!isDirty || !isKept) return;
    registerUnsaved(name, { discard: () => begin(record), lead: unsaved[name.split(':')[0] as keyof typeof unsaved] });
    return () => {
      release(name);
    };
  });

  return {
    form,
    initial,
    isDirty,
    adopted: isDirty ? adopted : [],
    // in the order of the fields, so that a conflict keeps its place when it is decided
    conflicts: (Object.keys(record) as FieldName<Values>[])
      .filter((field) => open.includes(field) || decided.some((one) => one.name === field))
      .map((field) => toConflict(field, form.values, record, { isOpen: open.includes(field), decided, together })),
    isUndecided: open.length > 0,
    pick,
    isRestored: isDirty && kept !== undefined,
    discard: () => begin(record),
    saved,
  };
}
