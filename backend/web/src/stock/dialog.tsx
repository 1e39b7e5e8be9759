import { Alert, Button, Group, Modal, ScrollArea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { newKey, Problem } from '../api/api';
import { formatError } from '../api/format-error';
import { useI18n } from '../i18n/i18n';
import { useStockFormats } from './use-stock-formats';

interface DialogProps {
  title: string;
  opened: boolean;
  close(): void;
  children: ReactNode;
}

/** A form over the page; on a phone in its place. */
export function Dialog({ title, opened, close, children }: DialogProps) {
  const { messages } = useStockFormats();
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      fullScreen={isPhone ?? false}
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ 'aria-label': messages.close }}
    >
      {children}
    </Modal>
  );
}

/** The end of a form: what was refused, and its buttons. */
export function FormFooter(props: { error?: Error | null; submit: string; isPending: boolean; close(): void }) {
  const { messages } = useStockFormats();
  const i18n = useI18n();
  return (
    <>
      {props.error && (
        <Alert color="red" role="alert">
          {formatError(props.error, i18n.messages)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.close}>
          {messages.cancel}
        </Button>
        <Button type="submit" loading={props.isPending}>
          {props.submit}
        </Button>
      </Group>
    </>
  );
}

/** A change of the stock that happens once, also when it is sent again because nobody answered. */
export function useStockMutation<Values, Answer>(options: {
  send(values: Values, key: string): Promise<Answer>;
  done(answer: Answer, values: Values): void;
  refused?(problem: Problem): void;
}) {
  const client = useQueryClient();
  const [key, setKey] = useState(() => newKey());
  return useMutation({
    mutationFn: (values: Values) => options.send(values, key),
    onSuccess(answer, values) {
      // where the form stays, what is sent next is another one
      setKey(newKey());
      client.invalidateQueries({ queryKey: ['filaments'] });
      options.done(answer, values);
    },
    onError(error) {
      // refused: what is sent next is another request. Not answered: the same one again
      if (!(error instanceof Problem) || error.status === 0) return;
      setKey(newKey());
      options.refused?.(error);
    },
  });
}
