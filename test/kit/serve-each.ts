/** The software of several printers. */
export interface Served<Software> {
  all: Software[];
  stop(): Promise<void>;
}

/** Starts the software of each printer by itself. */
export const serveEach =
  <Given, Software extends { stop(): Promise<void> }>(start: (given: Given) => Promise<Software>) =>
  async (given: readonly Given[]): Promise<Served<Software>> => {
    const all = await Promise.all(given.map(start));
    return { all, stop: async () => void (await Promise.all(all.map((one) => one.stop()))) };
  };
