import { type IExecuteFunctions, OperationalError, sleep } from 'n8n-workflow';

type Cancellable = Pick<IExecuteFunctions, 'getExecutionCancelSignal'>;

/** Waits. @throws OperationalError if the execution is cancelled */
export async function pause(context: object, ms: number): Promise<void> {
  const signal = (context as Partial<Cancellable>).getExecutionCancelSignal?.();
  if (!signal) return await sleep(ms);
  const listening = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(new OperationalError('The execution was stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: listening.signal });
  });
  await Promise.race([stopped, sleep(ms)]).finally(() => listening.abort());
}
