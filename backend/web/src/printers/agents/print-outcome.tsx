import { useMessages } from '../../i18n/i18n';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '../../ui/icons.tsx';
import classes from './agents.module.css';
import type { Report } from './agents-api';
import { MESSAGES } from './messages';

const ICONS = { finished: IconCircleCheck, failed: IconAlertTriangle, cancelled: IconCircleX };

/** Outcome of a print: icon and label. */
export function PrintOutcome({ outcome, children }: { outcome: Report['outcome']; children?: string }) {
  const messages = useMessages(MESSAGES);
  const Icon = ICONS[outcome];
  return (
    <span className={`${classes.outcome} ${classes[outcome]}`}>
      <Icon size={16} aria-hidden />
      {children ?? messages.outcome[outcome]}
    </span>
  );
}
