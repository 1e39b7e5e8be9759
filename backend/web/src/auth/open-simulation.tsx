import { Alert } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMessages } from '../i18n/i18n';
import { AuthPage } from './auth-page';
import { openSimulation } from './simulation-api';
import { MESSAGES } from './simulation-messages';

/** The link to a simulated farm. Its code is in the URL fragment, which browsers never send. */
export function OpenSimulation() {
  const messages = useMessages(MESSAGES);
  const { mutate: open, isError } = useMutation({ mutationFn: () => openSimulation(location.hash.slice(1)) });
  useEffect(() => open(), [open]);
  if (!isError) return <AuthPage title={messages.title} lead={messages.opening} />;
  return (
    <AuthPage title={messages.title}>
      <Alert color="red" role="alert">
        {messages.gone}
      </Alert>
    </AuthPage>
  );
}
