import { Alert, Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { Door } from './auth-page';
import { NewOwnerForm } from './new-owner-form';

/** Where the operator lets anybody make an account (SIGN_UP=open). */
export function SignUp({ isOpen }: { isOpen: boolean }) {
  const { door } = useSpeech().words;
  const [isGone, setGone] = useState(false);
  const canMake = isOpen && !isGone;
  return (
    <Door title={door.signUp} {...(canMake ? { lead: door.signUpLead } : {})}>
      {canMake ? (
        <NewOwnerForm create={api.signUp} gone={() => setGone(true)} />
      ) : (
        <Alert color="red" role="alert">
          {door.signUpClosed}
        </Alert>
      )}
      <Anchor component={Link} href="/" size="sm" underline="always">
        {canMake ? door.hasAccount : door.toSignIn}
      </Anchor>
    </Door>
  );
}
