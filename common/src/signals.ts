/** Resolves with the first SIGTERM or SIGINT; a second one ends the process immediately. */
export function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(1);
        resolve(signal);
      });
    }
  });
}
