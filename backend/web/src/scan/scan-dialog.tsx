import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Problem } from '../api/client';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ordersApi } from '../order-data/orders-api';
import { Camera } from './camera';
import type { Layout } from './layouts';
import { MESSAGES } from './messages';
import { guessLayout, type Reading, readLabel } from './read-label';
import { useScanField } from './use-scan-field';

/** Korean, Japanese and Chinese input methods make other characters of what a scanner types. */
const OF_INPUT_METHODS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}]/u;

const layoutName = ({ language, name }: Layout, locale: string) => {
  const known = language && new Intl.DisplayNames(locale, { type: 'language' }).of(language);
  return known && name ? `${known}, ${name}` : (known ?? name ?? '');
};

const isNotFound = (error: unknown) => error instanceof Problem && (error.status === 404 || error.status === 422);

/** Dialog that opens the order of a typed or scanned label. @param scanned the text of the last scan outside of it */
export function ScanDialog({ scanned, close }: { scanned: { text: string }; close(): void }) {
  const { messages, language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const client = useQueryClient();
  const [here, navigate] = useLocation();
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(scanned.text);
  const [scanError, setScanError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const scanField = useScanField(open);

  function explain(label: string) {
    const layout = guessLayout(label);
    if (layout) return pageMessages.otherLayout(layoutName(layout, language));
    return OF_INPUT_METHODS.test(label) ? pageMessages.inputMethod : pageMessages.notALabel;
  }

  function explainUnknown({ id, layout }: Reading) {
    const unknown = pageMessages.unknown(id);
    return layout ? `${unknown} ${pageMessages.readThrough(layoutName(layout, language))}` : unknown;
  }

  async function open(label: string) {
    setText(label);
    const read = readLabel(label);
    if (!read) setScanError(explain(label));
    else {
      const { id } = read;
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
        setScanError(isNotFound(error) ? explainUnknown(read) : formatError(error as Error, messages));
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
              {...scanField}
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
