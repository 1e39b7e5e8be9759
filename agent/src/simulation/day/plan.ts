import { createRandom } from '../../../../common/src/random.ts';

/** Minutes since midnight. */
export const OPENS_AT = 8 * 60;
export const CLOSES_AT = 18 * 60;

/** The statuses an order may have when the day begins. */
type FirstStatus = 'negotiation' | 'confirmed' | 'packing' | 'delivery';

/** An order of the day; numbers are positions in the lists of `farm-data.ts`. */
export interface OrderPlan {
  /** when it comes in, minutes since midnight */
  at: number;
  printer: number;
  part: number;
  customer: number;
  pieces: number;
  status: FirstStatus;
  /** how long the owner takes for its next steps, minutes */
  confirmAfter: number;
  packFor: number;
  deliverFor: number;
}

export interface DayPlan {
  orders: OrderPlan[];
  /** the number of the print that fails, counted from 1 in the order in which they start, and how far it gets */
  failure: { print: number; share: number };
}

/** In the book when the day begins. */
const IN_BOOK: readonly FirstStatus[] = [
  ...(['confirmed', 'confirmed', 'confirmed', 'confirmed', 'confirmed', 'confirmed', 'negotiation'] as const),
  ...(['negotiation', 'negotiation', 'packing', 'packing', 'delivery', 'delivery'] as const),
];
const COMING_IN = 15;
const PRINTERS = 4;
const PARTS = 3;
const CUSTOMERS = 7;

/** Plans a day: the same seed gives the same day. */
export function planDay(seed: number): DayPlan {
  const random = createRandom(seed);
  const planOrder = (at: number, index: number, status: FirstStatus): OrderPlan => ({
    at,
    // each printer gets a quarter of the orders, so that all of them have work
    printer: index % PRINTERS,
    part: random.between(0, PARTS - 1),
    customer: random.between(0, CUSTOMERS - 1),
    pieces: random.between(1, 6),
    status,
    confirmAfter: random.between(8, 30),
    packFor: random.between(10, 35),
    deliverFor: random.between(30, 75),
  });
  const inBook = IN_BOOK.map((status, index) => planOrder(OPENS_AT, index, status));
  // the last ones come in time to be printed
  const times = Array.from({ length: COMING_IN }, () => random.between(OPENS_AT + 5, CLOSES_AT - 150));
  const comingIn = times.sort((a, b) => a - b).map((at, index) => planOrder(at, index + IN_BOOK.length, 'negotiation'));
  return {
    orders: [...inBook, ...comingIn],
    failure: { print: random.between(3, 6), share: random.between(35, 65) / 100 },
  };
}
