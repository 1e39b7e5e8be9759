import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'aria-label'> & { label: string };

/** A button that is only a sign says what it does: to whoever points at it, comes to it by keyboard, or cannot see it. */
export function IconAction({ label, children, ...props }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="lg" aria-label={label} {...props}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
