import { Button, type ButtonProps, Popover, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useState } from 'react';

interface Props extends ButtonProps {
  /** label of the button and of the confirmation */
  children: string;
  /** asked before the action runs */
  question: ReactNode;
  /** accessible name of the record, if the page has several such buttons */
  subject?: string;
  onConfirm(): void;
}

/** A button for an action that can't be undone: asks for confirmation first. */
export function ConfirmButton({ children, question, subject, onConfirm, loading, ...look }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover withArrow trapFocus returnFocus shadow="md" opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          {...look}
          aria-label={subject === undefined ? undefined : `${children}: ${subject}`}
          onClick={() => setOpen(!isOpen)}
        >
          {children}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text component="div" size="sm" mb="sm" maw={260}>
          {question}
        </Text>
        <Button
          color="red"
          size="xs"
          loading={loading ?? false}
          onClick={() => {
            setOpen(false);
            onConfirm();
          }}
        >
          {children}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
