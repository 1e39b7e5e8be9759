import { Modal, ScrollArea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Problem } from '../api/client';
import { newKey } from '../api/ids';
import { useStockFormats } from './use-stock-formats';

interface DialogProps {
  title: string;
  opened: boolean;
  close(): void;
  children: ReactNode;
}

/** Form dialog; full screen on a phone. */
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

/** A stock mutation that takes effect once, even if it is retried without a response. */
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
      // if the form stays open, the next submit is a new request
      setKey(newKey());
      client.invalidateQueries({ queryKey: ['filaments'] });
      options.done(answer, values);
    },
    onError(error) {
      // after a refusal the next submit is a new request; without a response it is a retry with the same key
      if (!(error instanceof Problem) || error.status === 0) return;
      setKey(newKey());
      options.refused?.(error);
    },
  });
}
