import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Problem } from '../api/client';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ordersApi } from '../order-data/orders-api';
import { Camera } from './camera';
import { MESSAGES } from './messages';
import { readLabel } from './read-label';

const isNotFound = (error: unknown) => error instanceof Problem && (error.status === 404 || error.status === 422);

/** Dialog that opens the order of a typed or scanned label. @param scanned the text of the last scan outside of it */
export function ScanDialog({ scanned, close }: { scanned: { text: string }; close(): void }) {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const client = useQueryClient();
  const [here, navigate] = useLocation();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(scanned.text);
  const [scanError, setScanError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function open(label: string) {
    setText(label);
    const id = readLabel(label);
    if (!id) setScanError(pageMessages.notALabel);
    else {
      setBusy(true);
      setScanError(undefined);
      try {
        await client.fetchQuery({
          queryKey: ['order', id],
          queryFn: ({ signal }) => ordersApi.get(id, signal),
          staleTime: 0,
          structuralSharing: false,
        });
        close();
        // both pages show orders in a drawer
        navigate(`${here === '/orders' ? here : '/'}?order=${id}`);
        return;
      } catch (error) {
        setScanError(isNotFound(error) ? pageMessages.unknown(id) : formatError(error as Error, messages));
      }
      setBusy(false);
    }
    // select the text, so that the next scan replaces it
    box.current?.focus();
    box.current?.select();
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each scan
  useEffect(() => {
    if (scanned.text) void open(scanned.text);
  }, [scanned]);

  return (
    <Modal opened onClose={close} title={pageMessages.title} closeButtonProps={{ 'aria-label': pageMessages.close }}>
      <Stack>
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void open(text);
          }}
        >
          <Stack gap="xs">
            <TextInput
              ref={box}
              data-autofocus
              label={pageMessages.label}
              description={pageMessages.hint}
              placeholder={pageMessages.placeholder}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            {scanError && (
              <Alert color="red" role="alert">
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {scanError}
                </Text>
              </Alert>
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={isBusy} disabled={text.trim() === ''}>
                {pageMessages.open}
              </Button>
            </Group>
          </Stack>
        </form>
        <Camera onText={open} />
      </Stack>
    </Modal>
  );
}
