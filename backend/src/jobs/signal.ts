export type Bell = ReturnType<typeof createBell>;

/** A bell that can be waited for again and again. */
export function createBell() {
  let ring: () => void = () => undefined;
  let next = new Promise<void>((resolve) => {
    ring = resolve;
  });
  return {
    next: () => next,
    ring() {
      ring();
      next = new Promise<void>((resolve) => {
        ring = resolve;
      });
    },
  };
}
