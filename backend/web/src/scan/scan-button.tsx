import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconScan } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useSpeech } from '../i18n/i18n';
import { FailedDialog, part } from '../ui/lazy-part';

const ScanDialog = part('scan', async () => (await import('./scan-dialog')).ScanDialog, {
  waiting: null,
  Failure: FailedDialog,
});

/** Wireless scanners pause between keys, some of them long; what was pressed before that is no part of the label. */
const KEY_MS = 1000;
/** `ORDER-` and an id. */
const LABEL_LENGTH = 42;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Hears a hand scanner wherever nobody is typing: many keys in a row, then Enter. */
function useScanner(onScan: (text: string) => void) {
  const heard = useRef(onScan);
  heard.current = onScan;
  useEffect(() => {
    let keys = '';
    let lastAt = 0;
    function hear(event: KeyboardEvent) {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.timeStamp - lastAt > KEY_MS) keys = '';
      if (event.key.length === 1) {
        keys = (keys + event.key).slice(-LABEL_LENGTH);
        lastAt = event.timeStamp;
      } else if (event.key === 'Enter' && keys.length === LABEL_LENGTH) {
        // this Enter ends the label and presses nothing
        event.preventDefault();
        event.stopPropagation();
        heard.current(keys);
        keys = '';
      }
    }
    document.addEventListener('keydown', hear, { capture: true });
    return () => document.removeEventListener('keydown', hear, { capture: true });
  }, []);
}

/** In the header of every page: a label leads to its order. */
export function ScanButton() {
  const { words } = useSpeech();
  const [opened, setOpened] = useState<{ scanned: string }>();
  const open = (scanned = '') => setOpened({ scanned });
  // the key where S is, also in a Cyrillic layout
  useHotkeys([['s', () => open(), { usePhysicalKeys: true }]]);
  useScanner(open);
  return (
    <>
      <Tooltip label={`${words.scan} (S)`}>
        <ActionIcon variant="subtle" color="gray" c="inherit" size="lg" aria-label={words.scan} onClick={() => open()}>
          <IconScan size={20} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {opened && <ScanDialog scanned={opened.scanned} close={() => setOpened(undefined)} />}
    </>
  );
}
