import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { IconScan } from '../ui/icons.tsx';
import { FailedDialog, lazyPart } from '../ui/lazy-part';

const ScanDialog = lazyPart('scan', async () => (await import('./scan-dialog')).ScanDialog, {
  waiting: null,
  Failure: FailedDialog,
});

/** Loaded after the page: scanners are read as soon as it is there. */
const Scanner = lazyPart('scanner', async () => (await import('./scanner')).Scanner, {
  waiting: null,
  Failure: () => null,
});

/** Scan button in the header: opens the order of a scanned label. */
export function ScanButton() {
  const { messages } = useI18n();
  const [opened, setOpened] = useState<{ text: string }>();
  const open = (text = '') => setOpened({ text });
  // matched by key position, so it works with a Cyrillic layout too
  useHotkeys([['s', () => open(), { usePhysicalKeys: true }]]);
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
      <Scanner onText={open} />
      {opened && <ScanDialog scanned={opened} close={() => setOpened(undefined)} />}
    </>
  );
}
