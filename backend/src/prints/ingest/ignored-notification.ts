/** Why a message of printer software is not stored as a report. */
export interface IgnoredNotification {
  ignored: string;
  /** a person must change a setting of the program, or else prints go unreported */
  isFault?: true;
}
