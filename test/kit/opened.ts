interface Closable {
  close?(): unknown;
  stop?(): unknown;
  remove?(): unknown;
}

const open: Closable[] = [];

function openedBetween<T extends object>(before: typeof beforeAll, after: typeof afterAll, make: () => T | Promise<T>) {
  const opened: T & Closable = {} as T;
  before(async () => {
    Object.defineProperties(opened, Object.getOwnPropertyDescriptors(await make()));
    open.push(opened);
  });
  after(async () => {
    // what was opened later may need it
    while (open.includes(opened)) {
      const last = open.pop();
      await (last?.close ?? last?.stop ?? last?.remove)?.();
    }
  });
  return opened as T;
}

/** What the tests of a suite share: opened before the first and closed after the last. It is empty until then. */
export const forSuite = <T extends object>(make: () => T | Promise<T>): T => openedBetween(beforeAll, afterAll, make);

/** What each test has for itself. */
export const forTest = <T extends object>(make: () => T | Promise<T>): T => openedBetween(beforeEach, afterEach, make);
