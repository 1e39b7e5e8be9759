import { Problem } from '../api/client';
import { type FieldName, mergeRecord } from './changes';

const isOutdated = (error: unknown) => error instanceof Problem && error.code === 'precondition_failed';

interface Save<Stored, Values extends object> {
  /** the record as the page shows it */
  record: Stored;
  /** what the edits are based on */
  initial: Values;
  /** what the form contains */
  values: Values;
  together?: FieldName<Values>[];
  toValues(record: Stored): Values;
  /** Sends the edited fields. The server refuses them if the record isn't the expected version any more. */
  send(expected: Stored): Promise<Stored>;
  /** Reads the record as it is now and shows it on the page, so that the form merges it. */
  readAgain(): Promise<Stored>;
}

/**
 * Saves edited fields. If others were changed elsewhere meanwhile, tries again on top of that.
 * @throws Problem precondition_failed if one of the same fields was
 */
export async function saveMerged<Stored, Values extends object>(save: Save<Stored, Values>): Promise<Stored> {
  try {
    return await save.send(save.record);
  } catch (error) {
    if (!isOutdated(error)) throw error;
    const now = await save.readAgain();
    const { conflicts } = mergeRecord(save.initial, save.values, save.toValues(now), save.together);
    if (conflicts.length > 0) throw error;
    return save.send(now);
  }
}
