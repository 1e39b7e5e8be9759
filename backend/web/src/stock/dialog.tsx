import { Alert, Button, Group, Modal, ScrollArea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { newKey, Problem } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import { useStock } from './use-stock-formats';

interface DialogProps {
  title: string;
  opened: boolean;
  close(): void;
  children: ReactNode;
}

/** A form over the page; on a phone in its place. */
export function Dialog({ title, opened, close, children }: DialogProps) {
  const { words } = useStock();
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      fullScreen={isPhone ?? false}
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      {children}
    </Modal>
  );
}

/** The end of a form: what was refused, and its buttons. */
export function FormEnd(props: { error?: Error | null; submit: string; isPending: boolean; close(): void }) {
  const { words } = useStock();
  const speech = useSpeech();
  return (
    <>
      {props.error && (
        <Alert color="red" role="alert">
          {sayProblem(props.error, speech.words)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.close}>
          {words.cancel}
        </Button>
        <Button type="submit" loading={props.isPending}>
          {props.submit}
        </Button>
      </Group>
    </>
  );
}

/** A change of the stock that happens once, also when it is sent again because nobody answered. */
export function useBooking<Values, Answer>(options: {
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
