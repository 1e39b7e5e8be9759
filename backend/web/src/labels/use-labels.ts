import { useMemo } from 'react';
import type { Order } from '../api/api';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { type LabelPage, layOut, paginate } from './layout';
import { SIZES, type SizeName } from './sizes';
import { WORDS } from './messages';

/** The pages of labels of some orders, in the language of the console. */
export function useLabelPages(orders: Order[], size: SizeName, skipped = 0): LabelPage[] {
  const { words, day } = useSpeech();
  const labels = useWordsOf(WORDS);
  return useMemo(() => {
    const said = { pieces: words.board.pieces, due: (text: string) => labels.due(day(text)) };
    const laidOut = orders.map((order) => layOut(order, SIZES[size], said));
    return paginate(laidOut, SIZES[size], skipped);
  }, [orders, size, skipped, words, labels, day]);
}
