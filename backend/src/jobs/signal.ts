export type Signal = ReturnType<typeof createSignal>;

/** A notification that can be awaited repeatedly. */
export function createSignal() {
  let notify: () => void = () => undefined;
  let next = new Promise<void>((resolve) => {
    notify = resolve;
  });
  return {
    next: () => next,
    notify() {
      notify();
      next = new Promise<void>((resolve) => {
        notify = resolve;
      });
    },
  };
}
