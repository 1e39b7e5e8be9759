import { Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Order } from '../api';
import { useSpeech, useWordsOf } from '../language';
import { filamentsQuery } from '../stock/stock-api';
import { BookMaterial } from './book-material';
import { type Costs, costsOf } from './costs';
import { sayMoney } from './money';
import { WORDS } from './words';

const KOPECKS = 100;

/** What was used for an order, what that cost, and what is left of its price. */
export function OrderCosts({ order }: { order: Order }) {
  const said = useWordsOf(WORDS);
  const { words, number, language } = useSpeech();
  const history = useQuery({
    queryKey: ['history', order.id],
    queryFn: ({ signal }) => api.history(order.id, signal),
  });
  const filaments = useQuery(filamentsQuery);
  if (!history.data) return <Skeleton height={60} />;
  const { items, total } = history.data;
  const costs = costsOf(items);
  const nameOf = (id: string | null) => filaments.data?.find((one) => one.id === id)?.name ?? said.isGone;
  const roubles = (amount: number) => sayMoney(Math.round(amount * KOPECKS), 'RUB', language);
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
            {costs.used.map(({ filamentId, grams, roubles: cost, isUnknown }) => (
              <Table.Tr key={filamentId}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{nameOf(filamentId)}</Table.Td>
                <Table.Td ta="right">{words.board.grams(number(grams))}</Table.Td>
                <Table.Td ta="right">{isUnknown && cost === 0 ? said.unknown : roubles(cost)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{said.sum}</Table.Th>
              <Table.Th ta="right">{words.board.grams(number(costs.grams))}</Table.Th>
              <Table.Th ta="right">{roubles(costs.roubles)}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
      <Margin order={order} costs={costs} />
      {costs.isUnknown && <Text size="xs">{said.costUnknown}</Text>}
      {total > items.length && <Text size="xs">{said.newestOnly}</Text>}
      <BookMaterial order={order} bookedGrams={costs.grams} filaments={filaments.data ?? []} />
    </Stack>
  );
}

function Margin({ order, costs }: { order: Order; costs: Costs }) {
  const said = useWordsOf(WORDS);
  const { language } = useSpeech();
  if (order.price === null) return null;
  const cost = Math.round(costs.roubles * KOPECKS);
  const facts = [
    [said.price, sayMoney(order.price, order.currency, language)],
    [said.materialCost, sayMoney(cost, 'RUB', language)],
    ...(order.currency === 'RUB' ? [[said.margin, sayMoney(order.price - cost, 'RUB', language)]] : []),
  ];
  return (
    <>
      <Group gap="lg" data-margin>
        {facts.map(([name, amount]) => (
          <Text key={name} size="sm">
            {name}: <strong>{amount}</strong>
          </Text>
        ))}
      </Group>
      {order.currency !== 'RUB' && <Text size="xs">{said.otherCurrency}</Text>}
    </>
  );
}
