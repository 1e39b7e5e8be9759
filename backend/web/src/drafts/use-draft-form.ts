import { type FormRulesRecord, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { changesOf, isSame } from './changes';
import { readDraft, removeDraft, writeDraft } from './draft-store';
import { registerUnsaved, release } from './leave-guard';

export interface DraftForm<Values extends object> {
  form: UseFormReturnType<Values>;
  /** the record when editing began; differences from it are the edits */
  initial: Values;
  isDirty: boolean;
  isChanged: boolean;
  /** restored from a draft of an earlier visit */
  isRestored: boolean;
  discard(): void;
  /** @param sent the saved values; fields edited since then keep their edits */
  saved(stored: Values, sent: Values): void;
}

/**
 * A form that keeps unsaved changes: it asks before it is left and stores edits in this browser until they are saved or
 * discarded. Not for passwords, tokens or other secrets.
 * @param name storage name of the draft, such as `order:<id>`; a new name needs a new instance of the form
 * @param record the current server values; adopted whenever nothing is being edited
 */
export function useDraftForm<Values extends object>(
  name: string,
  record: Values,
  validate: FormRulesRecord<Values> = {},
): DraftForm<Values> {
  const [kept, setKept] = useState(() => readDraft<Values>(name));
  // drafts of older console versions may lack fields
  const [initial, setInitial] = useState<Values>({ ...record, ...kept?.began });
  const form = useForm<Values>({ initialValues: { ...record, ...kept?.values }, validate });
  const wasDirty = useRef(kept !== undefined);
  const isDirty = !isSame(form.values, initial) && !isSame(form.values, record);
  const isBehind = !isSame(initial, record);

  function begin(from: Values, shown = from) {
    release(name);
    removeDraft(name);
    setKept(undefined);
    setInitial(from);
    form.setValues(shown);
  }

  function saved(stored: Values, sent: Values) {
    begin(stored, { ...stored, ...changesOf(form.getValues(), sent) });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: `record` and `begin` change on every render
  useEffect(() => {
    if (!isDirty && isBehind) begin(record);
  }, [isDirty, isBehind]);

  useEffect(() => {
    if (isDirty) writeDraft(name, { began: initial, values: form.values });
    else if (wasDirty.current) removeDraft(name);
    wasDirty.current = isDirty;
  }, [name, isDirty, initial, form.values]);

  // updated on every render, because discarding needs the latest record
  useEffect(() => {
    if (!isDirty) return;
    registerUnsaved(name, () => begin(record));
    return () => {
      release(name);
    };
  });

  return {
    form,
    initial,
    isDirty,
    isChanged: isDirty && isBehind,
    isRestored: isDirty && kept !== undefined,
    discard: () => begin(record),
    saved,
  };
}
