import { DomainError } from '../../backend/src/shared/errors.ts';

/** The error of a service that must refuse. */
export async function failure(promise: Promise<unknown>): Promise<DomainError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error !== undefined && !(error instanceof DomainError)) throw error;
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
}

export const codeOf = async (promise: Promise<unknown>): Promise<string> => (await failure(promise)).code;
