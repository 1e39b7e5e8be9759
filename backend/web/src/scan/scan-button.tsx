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

/** Maximum pause between keys of one scan, generous for slow wireless scanners. */
const MAX_KEY_GAP_MS = 1000;
/** Length of `ORDER-` plus an ID. */
const LABEL_LENGTH = 42;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Detects input from a hand scanner outside of text fields: many keys in a row, then Enter. */
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
        // this Enter ends the scan and must not activate a button
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

/** Scan button in the header: opens the order of a scanned label. */
export function ScanButton() {
  const { messages } = useI18n();
  const [opened, setOpened] = useState<{ scanned: string }>();
  const open = (scanned = '') => setOpened({ scanned });
  // matched by key position, so it works with a Cyrillic layout too
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
