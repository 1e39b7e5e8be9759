import { useMemo } from 'react';
import { useI18n, useMessages } from '../i18n/i18n';
import type { Order } from '../order-data/orders-api';
import { type LabelPage, layoutLabel, paginate } from './layout';
import { MESSAGES } from './messages';
import { SIZES, type SizeName } from './sizes';

/** Pages of labels for orders, in the console's language. */
export function useLabelPages(orders: Order[], size: SizeName, skipped = 0): LabelPage[] {
  const { messages, formatDay } = useI18n();
  const labels = useMessages(MESSAGES);
  return useMemo(() => {
    const texts = { pieces: messages.board.pieces, due: (text: string) => labels.due(formatDay(text)) };
    const laidOut = orders.map((order) => layoutLabel(order, SIZES[size], texts));
    return paginate(laidOut, SIZES[size], skipped);
  }, [orders, size, skipped, messages, labels, formatDay]);
}
