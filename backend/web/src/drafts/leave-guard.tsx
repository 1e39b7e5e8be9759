import { Button, Group, Modal, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { removeOldDrafts } from './draft-store';
import { MESSAGES } from './messages';

/** The forms with unsaved changes: the name of each one's draft, and what discards it. */
const unsaved = new Map<string, () => void>();

/** Asks before the page is left, from now until `release` is called with the same name. */
export const registerUnsaved = (name: string, discard: () => void) => unsaved.set(name, discard);
export const release = (name: string) => unsaved.delete(name);

/** For a record that is deleted: its unsaved changes go with it. */
export const discardUnsaved = (name: string) => unsaved.get(name)?.();

let ask: (go: () => void) => void = (go) => go();

/** Does what takes an open form away, after a question if that has unsaved changes. */
export function leave(go: () => void): void {
  if (unsaved.size === 0) go();
  else ask(go);
}

/** Where a form is: a page, the order in its drawer, or the form of a new order. Anything else in the address may change. */
function locationKey(address: string): string {
  const { pathname, searchParams } = new URL(address, location.href);
  return [pathname, searchParams.get('order'), searchParams.get('new')].join(' ');
}

/** Every navigation within the console passes here. */
export const guardNavigation: AroundNavHandler = (navigate, to, options) => {
  if (locationKey(to) === locationKey(location.href)) navigate(to, options);
  else leave(() => navigate(to, options));
};

/** Where the console was before Back or Forward were pressed. */
let currentLocation = location.href;
const recordLocation = () => {
  currentLocation = location.href;
};

/** Back and Forward have changed the address when they are heard of: it is put back before the router hears of it. */
function guardHistory(event: PopStateEvent) {
  if (unsaved.size === 0 || locationKey(location.href) === locationKey(currentLocation)) return recordLocation();
  event.stopImmediatePropagation();
  history.pushState(null, '', currentLocation);
  leave(() => history.back());
}

/** A reload or a closed tab: the browser asks in its own words. */
function guardUnload(event: BeforeUnloadEvent) {
  if (unsaved.size > 0) event.preventDefault();
}

// here and not in a component: a window tells its listeners in the order they came, and the router's must come later
addEventListener('popstate', guardHistory);
addEventListener('pushState', recordLocation);
addEventListener('replaceState', recordLocation);
addEventListener('beforeunload', guardUnload);

/** The question that is asked before unsaved changes would be left behind. */
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
    for (const drop of [...unsaved.values()]) drop();
    keep();
    going?.go();
  }
  // Escape is heard by everything that is open, unless its target says otherwise: heard here, it would close this question
  // by the key that opened it, and the form below as well
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
      attributes={{ content: own }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') keep();
      }}
    >
      <Text size="sm" mb="md">
        {messages.lead}
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
