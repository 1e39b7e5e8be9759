/**
 * A change of an account's data. It carries no content; listeners request the current state. One `event` stands for all
 * events since the previous one, one `delivery` for deliveries of the subscription with this id, one `printer` also for
 * a printer group, because pages that list printers show their groups. `session`: this session of the console has
 * ended; its streams end.
 */
export interface Change {
  kind:
    | 'order'
    | 'filament'
    | 'printer'
    | 'subscription'
    | 'event'
    | 'delivery'
    | 'report'
    | 'lead'
    | 'invoice'
    | 'session';
  id: string;
  /** the record was deleted */
  gone?: true;
}

/** Notifies open pages of a change. */
export type PublishChange = (accountId: string, change: Change) => void;
