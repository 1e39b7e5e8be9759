/** Bytes of all uploads that are being read, each kept entirely in memory. */
const MAX_BYTES = 160_000_000;
const MAX_UPLOADS_OF_CLIENT = 2;

export type UploadLimit = ReturnType<typeof createUploadLimit>;

/** One upload that is being read. */
export interface Upload {
  /** aborted when others need the memory */
  signal: AbortSignal;
  /** Counts received bytes. */
  count(bytes: number): void;
  end(): void;
}

/**
 * Limits the memory of uploads, in total and per client. Uploads are not refused because others are slow or stalled: if
 * together they need too much memory, the slowest one ends.
 */
export function createUploadLimit({ clock = () => performance.now(), maxBytes = MAX_BYTES } = {}) {
  const uploads = new Set<{ client: string; began: number; bytes: number; abort: AbortController }>();

  function endSlowest(): void {
    const now = clock();
    const speed = ({ began, bytes }: { began: number; bytes: number }) => bytes / Math.max(1, now - began);
    // a stalled upload without bytes holds no memory
    const holding = [...uploads].filter(({ bytes }) => bytes > 0);
    const slowest = holding.reduce((a, b) => (speed(b) < speed(a) ? b : a));
    uploads.delete(slowest);
    slowest.abort.abort();
  }

  return {
    /** @returns undefined if this client has too many uploads in progress */
    begin(client: string): Upload | undefined {
      const own = [...uploads].filter((upload) => upload.client === client).length;
      if (own >= MAX_UPLOADS_OF_CLIENT) return undefined;
      const upload = { client, began: clock(), bytes: 0, abort: new AbortController() };
      uploads.add(upload);
      return {
        signal: upload.abort.signal,
        count(bytes) {
          upload.bytes += bytes;
          const total = [...uploads].reduce((sum, other) => sum + other.bytes, 0);
          if (total > maxBytes) endSlowest();
        },
        end: () => void uploads.delete(upload),
      };
    },
  };
}
