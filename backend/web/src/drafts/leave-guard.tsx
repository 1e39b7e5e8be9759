import { Button, Group, Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { NO_LANDMARK } from '../theme';
import { removeOldDrafts } from './draft-store';
import { MESSAGES } from './messages';

interface Unsaved {
  discard(): void;
  /** what would be lost */
  lead: string;
}

/** Forms with unsaved changes, by the names of their drafts. */
const unsaved = new Map<string, Unsaved>();

/** Asks before the page is left until `release` is called with the same name. */
export const registerUnsaved = (name: string, form: Unsaved) => unsaved.set(name, form);
export const release = (name: string) => unsaved.delete(name);

/** Called when a record is deleted: discards its unsaved changes. */
export const discardUnsaved = (name: string) => unsaved.get(name)?.discard();

let ask: (go: () => void) => void = (go) => go();

/** Runs an action that closes a form, asking first if it has unsaved changes. */
export function leave(go: () => void): void {
  if (unsaved.size === 0) go();
  else ask(go);
}

/** Identifies the open form: page, order drawer or new-order form. Other URL parameters may change freely. */
function locationKey(address: string): string {
  const { pathname, searchParams } = new URL(address, location.href);
  return [pathname, searchParams.get('order'), searchParams.get('new')].join(' ');
}

/** Wraps the router's navigate function. */
export const guardNavigation: AroundNavHandler = (navigate, to, options) => {
  if (locationKey(to) === locationKey(location.href)) navigate(to, options);
  else leave(() => navigate(to, options));
};

/** The location before Back or Forward was pressed. */
let currentLocation = location.href;
const recordLocation = () => {
  currentLocation = location.href;
};

/** Back and Forward change the URL before the event fires, so it is restored before the router reacts. */
function guardHistory(event: PopStateEvent) {
  if (unsaved.size === 0 || locationKey(location.href) === locationKey(currentLocation)) return recordLocation();
  event.stopImmediatePropagation();
  history.pushState(null, '', currentLocation);
  leave(() => history.back());
}

/** Reload and tab close: the browser shows its own prompt. */
function guardUnload(event: BeforeUnloadEvent) {
  if (unsaved.size > 0) event.preventDefault();
}

// registered at module load, because it must run before the router's listener
addEventListener('popstate', guardHistory);
addEventListener('pushState', recordLocation);
addEventListener('replaceState', recordLocation);
addEventListener('beforeunload', guardUnload);

/** Confirmation dialog shown before unsaved changes are lost. */
export function LeaveGuard() {
  const messages = useMessages(MESSAGES);
  const [going, setGoing] = useState<{ go(): void }>();
  useEffect(() => {
    ask = (go) => setGoing({ go });
    removeOldDrafts();
    return () => {
      ask = (go) => go();
    };
  }, []);
  const keep = () => setGoing(undefined);
  function discard() {
    for (const form of [...unsaved.values()]) form.discard();
    keep();
    going?.go();
  }
  // Escape reaches every open dialog unless the target is excluded; here it would close this dialog and the form below
  const own = { 'data-mantine-stop-propagation': true };
  return (
    <Modal
      opened={going !== undefined}
      onClose={keep}
      title={messages.title}
      withCloseButton={false}
      size="sm"
      zIndex={400}
      closeOnEscape={false}
      attributes={{ ...NO_LANDMARK, content: own }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') keep();
      }}
    >
      <Text size="sm" mb="md">
        {[...unsaved.values()][0]?.lead}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" color="red" c="red" onClick={discard} {...own}>
          {messages.discard}
        </Button>
        <Button data-autofocus onClick={keep} {...own}>
          {messages.keep}
        </Button>
      </Group>
    </Modal>
  );
}
