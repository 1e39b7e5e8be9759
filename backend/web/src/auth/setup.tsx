import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient, SESSION } from '../api/query-client';
import { useMessages } from '../i18n/i18n';
import { AuthPage } from './auth-page';
import { MESSAGES } from './messages';
import { NewOwnerForm } from './new-owner-form';
import { sessionApi } from './session-api';

/** The one-time setup link. Its code is in the URL fragment, which browsers never send. */
export function Setup({ isUsed }: { isUsed: boolean }) {
  const auth = useMessages(MESSAGES);
  const [, navigate] = useLocation();
  const [isDeleted, setUnavailable] = useState(false);
  const code = location.hash.slice(1);
  if (isUsed || code === '' || isDeleted) {
    return (
      <AuthPage title={auth.setup} lead={auth.linkUsedLead}>
        <Alert color="red" role="alert">
          {auth.linkUsed}
        </Alert>
        <Group>
          <Button
            onClick={() => {
              queryClient.invalidateQueries({ queryKey: SESSION });
              navigate('/', { replace: true });
            }}
          >
            {auth.toSignIn}
          </Button>
        </Group>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={auth.setup} lead={auth.setupLead}>
      <NewOwnerForm
        signUp={(owner) => sessionApi.createFirstOwner({ code, ...owner })}
        onUnavailable={() => setUnavailable(true)}
      />
    </AuthPage>
  );
}
