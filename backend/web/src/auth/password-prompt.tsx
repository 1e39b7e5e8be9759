import { useEffect, useState } from 'react';
import { onPasswordRequired } from '../api/client';
import { FailedDialog, lazyPart } from '../ui/lazy-part';

const PasswordDialog = lazyPart('password', async () => (await import('./password-dialog')).PasswordDialog, {
  waiting: null,
  Failure: ({ onEnd, children }) => <FailedDialog close={() => onEnd(false)}>{children}</FailedDialog>,
});

/** Asks for the password when the server refuses a change without it; the request is then sent again. */
export function PasswordPrompt() {
  const [pending, setPending] = useState<{ end(isConfirmed: boolean): void }>();
  useEffect(() => {
    let asked: Promise<boolean> | undefined;
    // several requests at once ask once
    onPasswordRequired(() => {
      asked ??= new Promise((resolve) => {
        const end = (isConfirmed: boolean) => {
          asked = undefined;
          setPending(undefined);
          resolve(isConfirmed);
        };
        setPending({ end });
      });
      return asked;
    });
  }, []);
  return pending && <PasswordDialog onEnd={pending.end} />;
}
