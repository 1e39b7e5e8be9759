import { Badge } from '@mantine/core';
import { useWordsOf } from '../i18n/i18n';
import type { LeadState } from './requests-api';
import { WORDS } from './messages';

export function StateBadge({ state }: { state: LeadState }) {
  const words = useWordsOf(WORDS);
  return state === 'new' ? (
    <Badge size="sm" variant="filled" color="cyan.9">
      {words.is.new}
    </Badge>
  ) : (
    <Badge size="sm" variant="outline" color="gray" c="inherit">
      {words.is[state]}
    </Badge>
  );
}
