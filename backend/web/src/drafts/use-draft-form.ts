import { type FormRulesRecord, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { changesOf, isSame } from './changes';
import { readDraft, removeDraft, writeDraft } from './draft-store';
import { holdUnsaved, release } from './leave-guard';

export interface DraftForm<Values extends object> {
  form: UseFormReturnType<Values>;
  /** the record as it was when editing began: what differs from it is what was edited */
  began: Values;
  isDirty: boolean;
  /** the record was changed elsewhere since editing began */
  isChanged: boolean;
  /** what is shown was typed before the page was loaded */
  isRestored: boolean;
  discard(): void;
  /** @param sent what was saved: fields typed in since then stay as they are typed */
  saved(stored: Values, sent: Values): void;
}

/**
 * A form whose unsaved changes are not lost: it asks before it is left, and keeps what was typed in this browser until it is
 * saved or discarded. Not for passwords, tokens or other secrets.
 * @param name of the draft, such as `order:<id>`; another name needs another instance of the form
 * @param record what the service has now, as the form shows it; taken up as soon as nothing is being edited
 */
export function useDraftForm<Values extends object>(
  name: string,
  record: Values,
  validate: FormRulesRecord<Values> = {},
): DraftForm<Values> {
  const [kept, setKept] = useState(() => readDraft<Values>(name));
  // a draft of an older version of the console may lack fields
  const [began, setBegan] = useState<Values>({ ...record, ...kept?.began });
  const form = useForm<Values>({ initialValues: { ...record, ...kept?.values }, validate });
  const wasDirty = useRef(kept !== undefined);
  const isDirty = !isSame(form.values, began) && !isSame(form.values, record);
  const isBehind = !isSame(began, record);

  function begin(from: Values, shown = from) {
    release(name);
    removeDraft(name);
    setKept(undefined);
    setBegan(from);
    form.setValues(shown);
  }

  function saved(stored: Values, sent: Values) {
    begin(stored, { ...stored, ...changesOf(form.getValues(), sent) });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer record is taken up as soon as nothing is being edited
  useEffect(() => {
    if (!isDirty && isBehind) begin(record);
  }, [isDirty, isBehind]);

  useEffect(() => {
    if (isDirty) writeDraft(name, { began, values: form.values });
    else if (wasDirty.current) removeDraft(name);
    wasDirty.current = isDirty;
  }, [name, isDirty, began, form.values]);

  // after every drawing: what discards it must know the newest record
  useEffect(() => {
    if (!isDirty) return;
    holdUnsaved(name, () => begin(record));
    return () => {
      release(name);
    };
  });

  return {
    form,
    began,
    isDirty,
    isChanged: isDirty && isBehind,
    isRestored: isDirty && kept !== undefined,
    discard: () => begin(record),
    saved,
  };
}
