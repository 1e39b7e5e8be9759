import { Badge } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import { MESSAGES } from './messages';
import type { LeadState } from './requests-api';

export function StateBadge({ state }: { state: LeadState }) {
  const messages = useMessages(MESSAGES);
  return state === 'new' ? (
    <Badge size="sm" variant="filled" color="cyan.9">
      {messages.is.new}
    </Badge>
  ) : (
    <Badge size="sm" variant="outline" color="gray" c="inherit">
      {messages.is[state]}
    </Badge>
  );
}
