import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconScan } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { FailedDialog, lazyPart } from '../ui/lazy-part';

const ScanDialog = lazyPart('scan', async () => (await import('./scan-dialog')).ScanDialog, {
  waiting: null,
  Failure: FailedDialog,
});

/** Wireless scanners pause between keys, some of them long; what was pressed before that is no part of the label. */
const MAX_KEY_GAP_MS = 1000;
/** `ORDER-` and an id. */
const LABEL_LENGTH = 42;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Hears a hand scanner wherever nobody is typing: many keys in a row, then Enter. */
function useScanner(onScan: (text: string) => void) {
  const scannedText = useRef(onScan);
  scannedText.current = onScan;
  useEffect(() => {
    let keys = '';
    let lastAt = 0;
    function handleKeyDown(event: KeyboardEvent) {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.timeStamp - lastAt > MAX_KEY_GAP_MS) keys = '';
      if (event.key.length === 1) {
        keys = (keys + event.key).slice(-LABEL_LENGTH);
        lastAt = event.timeStamp;
      } else if (event.key === 'Enter' && keys.length === LABEL_LENGTH) {
        // this Enter ends the label and presses nothing
        event.preventDefault();
        event.stopPropagation();
        scannedText.current(keys);
        keys = '';
      }
    }
    document.addEventListener('keydown', handleKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', handleKeyDown, { capture: true });
  }, []);
}

/** In the header of every page: a label leads to its order. */
export function ScanButton() {
  const { messages } = useI18n();
  const [opened, setOpened] = useState<{ scanned: string }>();
  const open = (scanned = '') => setOpened({ scanned });
  // the key where S is, also in a Cyrillic layout
  useHotkeys([['s', () => open(), { usePhysicalKeys: true }]]);
  useScanner(open);
  return (
    <>
      <Tooltip label={`${messages.scan} (S)`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="inherit"
          size="lg"
          aria-label={messages.scan}
          onClick={() => open()}
        >
          <IconScan size={20} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {opened && <ScanDialog scanned={opened.scanned} close={() => setOpened(undefined)} />}
    </>
  );
}
