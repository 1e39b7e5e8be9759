import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useWordsOf } from '../../i18n/i18n';
import classes from './agents.module.css';
import type { Report } from './agents-api';
import { WORDS } from './messages';

const ICONS = { finished: IconCircleCheck, failed: IconAlertTriangle, cancelled: IconCircleX };

/** How a print ended: a mark and a word. */
export function Outcome({ outcome, children }: { outcome: Report['outcome']; children?: string }) {
  const words = useWordsOf(WORDS);
  const Icon = ICONS[outcome];
  return (
    <span className={`${classes.outcome} ${classes[outcome]}`}>
      <Icon size={16} aria-hidden />
      {children ?? words.outcome[outcome]}
    </span>
  );
}
