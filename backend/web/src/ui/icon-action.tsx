import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';

type Props = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'aria-label'> & { label: string };

/** An icon button with a tooltip and an accessible label. */
export function IconAction({ label, children, ...props }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="lg" aria-label={label} {...props}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
