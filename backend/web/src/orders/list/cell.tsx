import { ColorSwatch } from '@mantine/core';
import { formatMoney } from '../../i18n/format-money';
import { useI18n } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { markOf } from '../../order-data/statuses';
import { DueChip } from '../board/card';
import type { ColumnName } from '../order-columns';
import classes from './orders.module.css';

export function StatusMark({ order }: { order: Order }) {
  const { messages } = useI18n();
  return (
    <span className={classes.status}>
      <span
        className={classes.mark}
        style={{ background: `var(--mantine-color-${markOf(order.workflow_status).replace('.', '-')})` }}
      />
      {messages.status[order.workflow_status]}
    </span>
  );
}

export function Cell({ order, name }: { order: Order; name: ColumnName }) {
  const { formatNumber, formatDateTime, language, messages } = useI18n();
  switch (name) {
    case 'model_name':
      return (
        <>
          <ColorSwatch size={12} color={order.color_hex} withShadow />
          <span className={classes.text} title={order.model_name}>
            {order.model_name}
          </span>
          {order.status_reset_received !== null && (
            <span className={classes.reset} title={order.status_reset_received}>
              {messages.history.status_reset}
            </span>
          )}
        </>
      );
    case 'workflow_status':
      return <StatusMark order={order} />;
    case 'due_date':
      return <DueChip order={order} />;
    case 'price':
      return order.price === null ? '' : formatMoney(order.price, order.currency, language);
    case 'created_at':
    case 'updated_at':
      return formatDateTime(order[name]);
    default: {
      const value = order[name] ?? '';
      return typeof value === 'number' ? (
        formatNumber(value)
      ) : (
        <span className={classes.text} title={value || undefined}>
          {value}
        </span>
      );
    }
  }
}
