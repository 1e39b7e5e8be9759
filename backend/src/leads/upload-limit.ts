/** Files that are read at the same time, each entirely in memory: in total and per address. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_OF_CLIENT = 2;

export type UploadLimit = ReturnType<typeof createUploadLimit>;

/** Limits how many requests are processed at the same time, in total and per client. */
export function createUploadLimit() {
  const inside = new Map<string, number>();
  let all = 0;
  return {
    /** @returns a function that ends the request; undefined if the limit is reached */
    acquire(client: string): (() => void) | undefined {
      const own = inside.get(client) ?? 0;
      if (all >= MAX_UPLOADS || own >= MAX_UPLOADS_OF_CLIENT) return undefined;
      all += 1;
      inside.set(client, own + 1);
      return () => {
        all -= 1;
        const left = (inside.get(client) ?? 1) - 1;
        if (left > 0) inside.set(client, left);
        else inside.delete(client);
      };
    },
  };
}
