import { Problem } from '../api/client';

/** Shows the server's validation errors next to their fields. */
export function showFaults(form: { setFieldError(path: string, error: string): void }, error: unknown) {
  if (!(error instanceof Problem)) return;
  for (const { pointer, detail } of error.faults) form.setFieldError(pointer.split('/')[1] ?? '', detail);
}
