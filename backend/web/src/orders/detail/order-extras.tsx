import { Stack, Title } from '@mantine/core';
import type { Order } from '../../api/api';
import { OrderLabel } from '../../labels/order-label';
import { useWordsOf } from '../../i18n/i18n';
import { OrderCosts } from './order-costs';
import { OrderPapers } from './order-documents';
import { WORDS } from './messages';

/** What the drawer shows below the fields; loaded when the first order is opened. */
export function OrderExtras({ order }: { order: Order }) {
  const said = useWordsOf(WORDS);
  return (
    <Stack>
      <Title order={3} size="h5">
        {said.material}
      </Title>
      <OrderCosts order={order} />
      <Title order={3} size="h5">
        {said.label}
      </Title>
      <OrderLabel order={order} />
      <OrderPapers order={order} />
    </Stack>
  );
}
