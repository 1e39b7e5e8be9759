import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { queryClient, SESSION } from '../api/query-client';
import { Door } from './auth-page';
import { NewOwnerForm } from './new-owner-form';

/** The one-time link of the first start: its code is behind the `#`, which browsers send to nobody. */
export function SetUp({ isUsed }: { isUsed: boolean }) {
  const { door } = useSpeech().words;
  const [, navigate] = useLocation();
  const [isGone, setGone] = useState(false);
  const code = location.hash.slice(1);
  if (isUsed || code === '' || isGone) {
    return (
      <Door title={door.setUp} lead={door.linkUsedLead}>
        <Alert color="red" role="alert">
          {door.linkUsed}
        </Alert>
        <Group>
          <Button
            onClick={() => {
              queryClient.invalidateQueries({ queryKey: SESSION });
              navigate('/', { replace: true });
            }}
          >
            {door.toSignIn}
          </Button>
        </Group>
      </Door>
    );
  }
  return (
    <Door title={door.setUp} lead={door.setUpLead}>
      <NewOwnerForm create={(owner) => api.setUp({ code, ...owner })} gone={() => setGone(true)} />
    </Door>
  );
}
