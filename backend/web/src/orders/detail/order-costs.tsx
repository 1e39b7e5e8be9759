import { Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCurrency } from '../../auth/use-currency';
import { toMajor } from '../../i18n/currency';
import { formatAmount, formatMoney } from '../../i18n/format-money';
import { useI18n, useMessages } from '../../i18n/i18n';
import { type Order, ordersApi } from '../../order-data/orders-api';
import { filamentsQuery } from '../../stock/stock-api';
import { type Costs, costsOf, type Planned, planCost } from './costs';
import { DeductMaterial } from './deduct-material';
import { MESSAGES } from './messages';

/** Material used for an order, its cost and the margin. */
export function OrderCosts({ order }: { order: Order }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, formatNumber, language } = useI18n();
  const currency = useCurrency();
  const history = useQuery({
    queryKey: ['history', order.id],
    queryFn: ({ signal }) => ordersApi.history(order.id, signal),
  });
  const filaments = useQuery(filamentsQuery);
  if (!history.data) return <Skeleton height={60} />;
  const { items, total } = history.data;
  const costs = costsOf(items, currency);
  const nameOf = (id: string | null) => filaments.data?.find((one) => one.id === id)?.name ?? pageMessages.isDeleted;
  const formatTotal = (amount: number) => formatAmount(amount, currency, language);
  return (
    <Stack gap="xs">
      {costs.used.length === 0 ? (
        <Text size="sm">{pageMessages.none}</Text>
      ) : (
        <Table fz="sm" verticalSpacing={4} data-used>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{pageMessages.filament}</Table.Th>
              <Table.Th ta="right">{pageMessages.grams}</Table.Th>
              <Table.Th ta="right">{pageMessages.cost}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {costs.used.map(({ filamentId, grams, cost, isUnknown }) => (
              <Table.Tr key={filamentId}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{nameOf(filamentId)}</Table.Td>
                <Table.Td ta="right">{messages.board.grams(formatNumber(grams))}</Table.Td>
                <Table.Td ta="right">{isUnknown && cost === 0 ? pageMessages.unknown : formatTotal(cost)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{pageMessages.sum}</Table.Th>
              <Table.Th ta="right">{messages.board.grams(formatNumber(costs.grams))}</Table.Th>
              <Table.Th ta="right">{formatTotal(costs.cost)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
      <Balance order={order} costs={costs} planned={planCost(order, filaments.data ?? [])} />
      {total > items.length && <Text size="xs">{pageMessages.newestOnly}</Text>}
      <DeductMaterial order={order} deductedGrams={costs.grams} filaments={filaments.data ?? []} />
    </Stack>
  );
}

interface Margin {
  /** something was deducted; otherwise estimated from the order's grams */
  isActual: boolean;
  /** undefined: unknown */
  cost: number | undefined;
  margin: number | undefined;
}

function marginOf(order: Order, costs: Costs, planned: Planned | undefined, currency: string): Margin {
  const isActual = costs.grams > 0;
  // incomplete costs would show a margin that is too high
  const actualCost = costs.isUnknown ? undefined : costs.cost;
  const cost = isActual ? actualCost : planned?.cost;
  const isKnown = order.price !== null && order.currency === currency && cost !== undefined;
  return { isActual, cost, margin: isKnown ? toMajor(order.price as number, currency) - cost : undefined };
}

/** Price, material cost and margin; estimated from the order's grams until something is deducted. */
function Balance({ order, costs, planned }: { order: Order; costs: Costs; planned: Planned | undefined }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, formatNumber, language } = useI18n();
  const currency = useCurrency();
  const { isActual, cost, margin } = marginOf(order, costs, planned, currency);
  if (order.price === null && cost === undefined) return null;
  const isComparable = order.price === null || order.currency === currency;
  const labels = isActual
    ? { material: pageMessages.materialCost, margin: pageMessages.margin }
    : { material: pageMessages.materialPlanned, margin: pageMessages.marginPlanned };
  const format = (amount: number) => formatAmount(amount, currency, language);
  function formatCost() {
    if (cost !== undefined) return format(cost);
    return isActual && costs.cost > 0 ? pageMessages.atLeast(format(costs.cost)) : pageMessages.unknown;
  }
  const facts: [string, string][] = [[labels.material, formatCost()]];
  if (order.price !== null) facts.unshift([pageMessages.price, formatMoney(order.price, order.currency, language)]);
  if (margin !== undefined) facts.push([labels.margin, format(margin)]);
  return (
    <>
      <Group gap="lg" data-margin={isActual ? 'actual' : 'planned'}>
        {facts.map(([name, amount]) => (
          <Text key={name} size="sm">
            {name}: <strong>{amount}</strong>
          </Text>
        ))}
      </Group>
      {!isActual && (
        <Text size="xs">
          {planned
            ? pageMessages.plannedFrom(messages.board.grams(formatNumber(order.material_grams)), planned.filament.name)
            : pageMessages.plannedUnknown}
        </Text>
      )}
      {isActual && costs.isUnknown && <Text size="xs">{pageMessages.costUnknown}</Text>}
      {!isComparable && <Text size="xs">{pageMessages.otherCurrency(currency)}</Text>}
    </>
  );
}
