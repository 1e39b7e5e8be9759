import {
  Alert,
  Anchor,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Problem } from '../api';
import { AskFirst } from '../ask-first';
import { decimalsOf, toMajor, toMinor } from '../currency';
import { changesOf, isSame } from '../drafts/changes';
import { DraftNotice } from '../drafts/draft-notice';
import { useDraftForm } from '../drafts/use-draft-form';
import { IconAction } from '../icon-action';
import { useSpeech, useWordsOf } from '../language';
import { sayMoney } from '../order/money';
import { sayProblem } from '../say-problem';
import classes from './invoices.module.css';
import {
  type InvoiceDetail,
  type InvoicePatch,
  invoiceQuery,
  invoicesApi,
  sellerQuery,
  useChange,
} from './invoices-api';
import { WORDS } from './words';

interface LineValues {
  order_id: string | null;
  description: string;
  quantity: number | string;
  unit_price: number | string;
}

interface DraftValues {
  customer_name: string;
  customer_details: string;
  language: InvoiceDetail['language'];
  currency: string;
  due_date: string;
  note: string;
  lines: LineValues[];
}

const toValues = (invoice: InvoiceDetail): DraftValues => ({
  customer_name: invoice.customer_name,
  customer_details: invoice.customer_details,
  language: invoice.language,
  currency: invoice.currency,
  due_date: invoice.due_date ?? '',
  note: invoice.note,
  lines: invoice.lines.map(({ order_id, description, quantity, unit_price }) => ({
    order_id,
    description,
    quantity,
    unit_price: toMajor(unit_price, invoice.currency),
  })),
});

const toLines = ({ lines, currency }: DraftValues) =>
  lines.map((line) => ({
    order_id: line.order_id,
    description: line.description,
    quantity: Number(line.quantity),
    unit_price: toMinor(line.unit_price || 0, currency),
  }));

/** Only what was edited. Amounts go with their currency. */
function toPatch(values: DraftValues, began: DraftValues): InvoicePatch {
  const { lines: _, due_date, ...texts } = changesOf(values, began);
  const lines = toLines(values);
  const hasNewLines = values.currency !== began.currency || !isSame(lines, toLines(began));
  return {
    ...texts,
    ...(due_date !== undefined && { due_date: due_date || null }),
    ...(hasNewLines && { lines }),
  };
}

export const draftNameOf = ({ id }: Pick<InvoiceDetail, 'id'>) => `invoice:${id}`;

/** All of a draft, with its lines. Issuing saves it first. */
export function DraftForm({ invoice }: { invoice: InvoiceDetail }) {
  const words = useWordsOf(WORDS);
  const { words: general, language } = useSpeech();
  const client = useQueryClient();
  const draft = useDraftForm(draftNameOf(invoice), toValues(invoice));
  const { form } = draft;
  const { currency, lines } = form.values;
  const amountOf = (line: LineValues) => (Number(line.quantity) || 0) * toMinor(line.unit_price || 0, currency);
  const total = lines.reduce((sum, line) => sum + amountOf(line), 0);

  async function store(values: DraftValues) {
    if (!draft.isDirty) return;
    const stored = await invoicesApi.update(invoice.id, toPatch(values, draft.began));
    draft.saved(toValues(stored), values);
    client.setQueryData(invoiceQuery(invoice.id).queryKey, stored);
  }
  const showFaults = (error: Error) => {
    if (!(error instanceof Problem)) return;
    for (const { pointer, detail } of error.faults) form.setFieldError(pointer.slice(1).replaceAll('/', '.'), detail);
  };
  const save = useMutation({
    mutationFn: store,
    async onSuccess() {
      notifications.show({ color: 'teal', message: words.saved, withCloseButton: false });
      await client.invalidateQueries({ queryKey: ['invoices', 'list'] });
    },
    onError: showFaults,
  });
  const { data: seller } = useQuery(sellerQuery);
  const [isSellerMissing, setSellerMissing] = useState(false);
  const issue = useChange(
    async (values: DraftValues) => {
      await store(values).catch((error: Error) => {
        showFaults(error);
        throw error;
      });
      return invoicesApi.issue(invoice.id);
    },
    () => notifications.show({ color: 'teal', message: words.issued, withCloseButton: false }),
  );
  /** What the service would refuse is said before it is asked, where it can be put right. */
  function tryToIssue() {
    const isUnnamed = form.values.customer_name.trim() === '';
    const isUnsold = seller?.name.trim() === '';
    if (isUnnamed) form.setFieldError('customer_name', general.door.required);
    setSellerMissing(isUnsold);
    if (!isUnnamed && !isUnsold) issue.mutate(form.values);
  }
  const field = form.getInputProps;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <DraftNotice draft={draft} />
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Stack gap="sm">
            <TextInput label={words.customerName} required maxLength={300} {...field('customer_name')} />
            <Textarea label={words.customerDetails} rows={3} maxLength={1000} {...field('customer_details')} />
          </Stack>
          <Stack gap="sm">
            <Group grow>
              <TextInput
                label={words.currency}
                maxLength={3}
                {...field('currency')}
                onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
              />
              <TextInput type="date" label={words.dueDate} {...field('due_date')} />
            </Group>
            <Select
              label={words.language}
              allowDeselect={false}
              data={[
                { value: 'en', label: 'English' },
                { value: 'ru', label: 'Русский' },
              ]}
              {...field('language')}
            />
          </Stack>
        </SimpleGrid>
        <Title order={2} size="h5">
          {words.lines}
        </Title>
        <ul className={classes.lines}>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name of its own, and its fields are controlled
            <li key={index} className={classes.line}>
              <TextInput
                label={words.description}
                aria-label={words.lineOf(words.description, index + 1)}
                maxLength={500}
                {...field(`lines.${index}.description`)}
              />
              <NumberInput
                label={words.quantity}
                aria-label={words.lineOf(words.quantity, index + 1)}
                min={1}
                max={1_000_000}
                allowDecimal={false}
                hideControls
                {...field(`lines.${index}.quantity`)}
              />
              <NumberInput
                label={words.unitPrice}
                aria-label={words.lineOf(words.unitPrice, index + 1)}
                decimalScale={decimalsOf(currency)}
                hideControls
                {...field(`lines.${index}.unit_price`)}
              />
              <Text size="sm" className={classes.amount}>
                {sayMoney(amountOf(line), currency, language)}
              </Text>
              <IconAction
                variant="default"
                label={words.removeLine(index + 1)}
                onClick={() => form.removeListItem('lines', index)}
              >
                <IconTrash size={16} aria-hidden />
              </IconAction>
            </li>
          ))}
        </ul>
        <Group justify="space-between">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={lines.length >= 100}
            onClick={() =>
              form.insertListItem('lines', {
                order_id: null,
                description: '',
                quantity: 1,
                unit_price: 0,
              } satisfies LineValues)
            }
          >
            {words.addLine}
          </Button>
          <Text fw={700}>
            {words.total}: {sayMoney(total, currency, language)}
          </Text>
        </Group>
        <Textarea label={words.note} rows={2} maxLength={2000} {...field('note')} />
        {save.error && (
          <Alert color="red" role="alert">
            {sayProblem(save.error, general)}
          </Alert>
        )}
        {isSellerMissing && (
          <Alert color="red" role="alert">
            {words.sellerMissing}{' '}
            <Anchor component={Link} href="/invoices/settings" inherit underline="always">
              {words.sellerFill}
            </Anchor>
          </Alert>
        )}
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            {words.save}
          </Button>
          <AskFirst size="sm" variant="filled" question={words.issueAsk} loading={issue.isPending} act={tryToIssue}>
            {words.issue}
          </AskFirst>
        </Group>
      </Stack>
    </form>
  );
}
