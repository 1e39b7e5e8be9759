import { Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Order } from '../../api/api';
import { toMajor, useCurrency } from '../../i18n/currency';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { filamentsQuery } from '../../stock/stock-api';
import { BookMaterial } from './deduct-material';
import { type Costs, costsOf, type Planned, planCost } from './costs';
import { sayAmount, sayMoney } from '../../i18n/format-money';
import { WORDS } from './messages';

/** What was used for an order, what that cost, and what is left of its price. */
export function OrderCosts({ order }: { order: Order }) {
  const said = useWordsOf(WORDS);
  const { words, number, language } = useSpeech();
  const currency = useCurrency();
  const history = useQuery({
    queryKey: ['history', order.id],
    queryFn: ({ signal }) => api.history(order.id, signal),
  });
  const filaments = useQuery(filamentsQuery);
  if (!history.data) return <Skeleton height={60} />;
  const { items, total } = history.data;
  const costs = costsOf(items, currency);
  const nameOf = (id: string | null) => filaments.data?.find((one) => one.id === id)?.name ?? said.isGone;
  const say = (amount: number) => sayAmount(amount, currency, language);
  return (
    <Stack gap="xs">
      {costs.used.length === 0 ? (
        <Text size="sm">{said.none}</Text>
      ) : (
        <Table fz="sm" verticalSpacing={4} data-used>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{said.filament}</Table.Th>
              <Table.Th ta="right">{said.grams}</Table.Th>
              <Table.Th ta="right">{said.cost}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {costs.used.map(({ filamentId, grams, cost, isUnknown }) => (
              <Table.Tr key={filamentId}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{nameOf(filamentId)}</Table.Td>
                <Table.Td ta="right">{words.board.grams(number(grams))}</Table.Td>
                <Table.Td ta="right">{isUnknown && cost === 0 ? said.unknown : say(cost)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{said.sum}</Table.Th>
              <Table.Th ta="right">{words.board.grams(number(costs.grams))}</Table.Th>
              <Table.Th ta="right">{say(costs.cost)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
      <Balance order={order} costs={costs} planned={planCost(order, filaments.data ?? [])} />
      {total > items.length && <Text size="xs">{said.newestOnly}</Text>}
      <BookMaterial order={order} bookedGrams={costs.grams} filaments={filaments.data ?? []} />
    </Stack>
  );
}

/** Price, material and margin: planned from the order's grams until something is deducted, and says which. */
function Balance({ order, costs, planned }: { order: Order; costs: Costs; planned: Planned | undefined }) {
  const said = useWordsOf(WORDS);
  const { words, number, language } = useSpeech();
  const currency = useCurrency();
  const isActual = costs.grams > 0;
  // a part of the costs would make a margin that is not there
  const cost = isActual ? (costs.isUnknown ? undefined : costs.cost) : planned?.cost;
  if (order.price === null && cost === undefined) return null;
  const isComparable = order.price === null || order.currency === currency;
  const margin =
    order.price === null || !isComparable || cost === undefined ? undefined : toMajor(order.price, currency) - cost;
  const material = isActual ? said.materialCost : said.materialPlanned;
  const facts = [
    ...(order.price === null ? [] : [[said.price, sayMoney(order.price, order.currency, language)]]),
    [
      material,
      cost !== undefined
        ? sayAmount(cost, currency, language)
        : isActual && costs.cost > 0
          ? said.atLeast(sayAmount(costs.cost, currency, language))
          : said.unknown,
    ],
    ...(margin === undefined
      ? []
      : [[isActual ? said.margin : said.marginPlanned, sayAmount(margin, currency, language)]]),
  ];
  return (
    <>
      <Group gap="lg" data-margin={isActual ? 'actual' : 'planned'}>
        {facts.map(([name, amount]) => (
          <Text key={name} size="sm">
            {name}: <strong>{amount}</strong>
          </Text>
        ))}
      </Group>
      {!isActual && planned && (
        <Text size="xs">
          {said.plannedFrom(words.board.grams(number(order.material_grams)), planned.filament.name)}
        </Text>
      )}
      {!isActual && !planned && <Text size="xs">{said.plannedUnknown}</Text>}
      {isActual && costs.isUnknown && <Text size="xs">{said.costUnknown}</Text>}
      {!isComparable && <Text size="xs">{said.otherCurrency(currency)}</Text>}
    </>
  );
}
