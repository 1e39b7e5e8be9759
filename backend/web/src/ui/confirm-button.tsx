import { Button, type ButtonProps, Popover, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useState } from 'react';

interface Props extends ButtonProps {
  /** what the button says, and the one that does it */
  children: string;
  /** what is lost by it */
  question: ReactNode;
  /** what it is done to, where several such buttons stand on a page */
  subject?: string;
  onConfirm(): void;
}

/** A button for what cannot be undone: it asks first. */
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
        <Text size="sm" mb="sm" maw={260}>
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
