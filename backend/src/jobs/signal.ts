export type Signal = ReturnType<typeof createSignal>;

/** A bell that can be waited for again and again. */
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
