import type { Order } from '../../order-data/orders-api';
import type { Cells, Fault } from './step';

/** As many characters as the server takes. */
const MAX = { source: 100, external_id: 200 } as const;
const NAMES = ['source', 'external_id'] as const;

/** Which order of a shop a row is about. */
interface External {
  fields: { source?: string; external_id?: string };
  faults: Fault[];
  /** the order, if it exists */
  order: Order | undefined;
}

const keyOf = (source: string | null, externalId: string | null) => JSON.stringify([source, externalId]);

/**
 * Reads which order each row is about: by its ID, or else by the shop and its ID there. Each pair may be in a file once.
 * @param byId the orders that the file names by ID
 * @param existing among these are the orders from shops that exist
 */
export function createNames(byId: ReadonlyMap<string, Order>, existing: readonly Order[]) {
  const known = new Map(existing.map((order) => [keyOf(order.source, order.external_id), order]));
  const seen = new Set<string>();

  return (id: string, cells: Cells): External => {
    const [source = '', externalId = ''] = NAMES.map((name) => (cells.get(name) ?? '').trim());
    if (id !== '' || (source === '' && externalId === '')) return { fields: {}, faults: [], order: byId.get(id) };
    const fields = { source, external_id: externalId };
    const faults = NAMES.flatMap((target): Fault[] => {
      if (fields[target] === '') return [{ target, kind: 'empty' }];
      return fields[target].length > MAX[target] ? [{ target, kind: 'long' }] : [];
    });
    const key = keyOf(source, externalId);
    if (seen.has(key)) faults.push({ target: 'external_id', kind: 'externalTwice' });
    seen.add(key);
    return { fields, faults, order: known.get(key) };
  };
}
