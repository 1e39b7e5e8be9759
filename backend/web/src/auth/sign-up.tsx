import { Alert, Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { AuthPage } from './auth-page';
import { MESSAGES } from './messages';
import { NewOwnerForm } from './new-owner-form';
import { sessionApi } from './session-api';

/** Sign-up page, available with SIGN_UP=open. */
export function SignUp({ isOpen }: { isOpen: boolean }) {
  const auth = useMessages(MESSAGES);
  const [isDeleted, setUnavailable] = useState(false);
  const canSignUp = isOpen && !isDeleted;
  return (
    <AuthPage title={auth.signUp} {...(canSignUp ? { lead: auth.signUpLead } : {})}>
      {canSignUp ? (
        <NewOwnerForm signUp={sessionApi.signUp} onUnavailable={() => setUnavailable(true)} />
      ) : (
        <Alert color="red" role="alert">
          {auth.signUpClosed}
        </Alert>
      )}
      <Anchor component={Link} href="/" size="sm" underline="always">
        {canSignUp ? auth.hasAccount : auth.toSignIn}
      </Anchor>
    </AuthPage>
  );
}
