import {
  Alert,
  Anchor,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Problem } from '../api/client';
import { changesOf, type FieldName, isSame } from '../drafts/changes';
import { DraftBanner, type FieldNames } from '../drafts/draft-banner';
import { useDraftForm } from '../drafts/use-draft-form';
import { decimalsOf, toMajor, toMinor } from '../i18n/currency';
import { formatError } from '../i18n/format-error';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { IconAction } from '../ui/icon-action';
import { IconPlus, IconTrash } from '../ui/icons.tsx';
import { NumberField } from '../ui/number-field';
import classes from './invoices.module.css';
import {
  businessDetailsQuery,
  type InvoiceDetail,
  type InvoicePatch,
  invoiceQuery,
  invoicesApi,
  useInvoiceMutation,
} from './invoices-api';
import { MESSAGES } from './messages';
import { missingLettersOf } from './missing-letters';

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

/** Only the edited fields, so that concurrent changes to others are kept. Amounts are sent with their currency. */
function toPatch(values: DraftValues, initial: DraftValues): InvoicePatch {
  const { lines: _, due_date, ...texts } = changesOf(values, initial);
  const lines = toLines(values);
  const hasNewLines = values.currency !== initial.currency || !isSame(lines, toLines(initial));
  return {
    ...texts,
    ...(due_date !== undefined && { due_date: due_date || null }),
    ...(hasNewLines && { lines }),
  };
}

/** Amounts mean nothing without their currency. */
const TOGETHER: FieldName<DraftValues>[] = ['lines', 'currency'];

const LANGUAGES: Record<InvoiceDetail['language'], string> = { en: 'English', ru: 'Русский' };

/** The fields of a draft as a conflict shows them. */
function useFieldNames(): FieldNames<DraftValues> {
  const messages = useMessages(MESSAGES);
  const { language, formatDay } = useI18n();
  return {
    customer_name: { label: messages.customerName },
    customer_details: { label: messages.customerDetails },
    language: { label: messages.language, show: (values) => LANGUAGES[values.language] },
    due_date: { label: messages.dueDate, show: ({ due_date }) => due_date && formatDay(due_date) },
    note: { label: messages.note },
    lines: {
      label: messages.lines,
      show: ({ lines, currency }) =>
        lines
          .map(({ description, quantity, unit_price }) => {
            const price = formatMoney(toMinor(unit_price || 0, currency), currency, language);
            return `${description}: ${quantity} × ${price}`;
          })
          .join('\n'),
    },
  };
}

/** The form's name for what a JSON pointer points to. */
const toPath = (pointer: string): string => pointer.slice(1).replaceAll('/', '.');

export const draftNameOf = ({ id }: Pick<InvoiceDetail, 'id'>) => `invoice:${id}`;

/** The draft editor. Issuing saves the draft first. */
export function DraftForm({ invoice }: { invoice: InvoiceDetail }) {
  const messages = useMessages(MESSAGES);
  const { messages: commonMessages, language } = useI18n();
  const client = useQueryClient();
  const draft = useDraftForm(draftNameOf(invoice), toValues(invoice), { together: TOGETHER });
  const { form } = draft;
  const { currency, lines } = form.values;
  const amountOf = (line: LineValues) => (Number(line.quantity) || 0) * (toMinor(line.unit_price, currency) || 0);
  const total = lines.reduce((sum, line) => sum + amountOf(line), 0);

  async function store(values: DraftValues) {
    if (!draft.isDirty) return;
    const stored = await invoicesApi.update(invoice.id, toPatch(values, draft.initial));
    draft.saved(toValues(stored), values);
    client.setQueryData(invoiceQuery(invoice.id).queryKey, stored);
  }
  const showFaults = (error: Error) => {
    if (!(error instanceof Problem)) return;
    for (const { pointer, detail } of error.faults) form.setFieldError(toPath(pointer), detail);
    for (const { pointer, letters } of missingLettersOf(error)) {
      form.setFieldError(toPath(pointer), messages.missingLetters(letters.join(' ')));
    }
  };
  const save = useMutation({
    mutationFn: store,
    async onSuccess() {
      notifications.show({ color: 'teal', message: messages.saved, withCloseButton: false });
      await client.invalidateQueries({ queryKey: ['invoices', 'list'] });
    },
    onError: showFaults,
  });
  const { data: businessDetails } = useQuery(businessDetailsQuery);
  const lacksBusinessDetails = businessDetails?.name.trim() === '';
  const [hasTriedToIssue, setTriedToIssue] = useState(false);
  const issue = useInvoiceMutation(
    async (values: DraftValues) => {
      try {
        await store(values);
        return await invoicesApi.issue(invoice.id);
      } catch (error) {
        showFaults(error as Error);
        throw error;
      }
    },
    () => notifications.show({ color: 'teal', message: messages.issued, withCloseButton: false }),
  );
  /** Checks what the server would refuse before issuing, where it can be corrected. */
  function tryToIssue() {
    const isUnnamed = form.values.customer_name.trim() === '';
    if (isUnnamed) form.setFieldError('customer_name', commonMessages.required);
    setTriedToIssue(true);
    if (!isUnnamed && !lacksBusinessDetails) issue.mutate(form.values);
  }
  const missingInSeller = missingLettersOf(issue.error).filter(({ pointer }) => pointer.startsWith('/seller/'));
  const field = form.getInputProps;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <DraftBanner draft={draft} fields={useFieldNames()} />
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Stack gap="sm">
            <TextInput label={messages.customerName} required maxLength={300} {...field('customer_name')} />
            <Textarea label={messages.customerDetails} rows={3} maxLength={1000} {...field('customer_details')} />
          </Stack>
          <Stack gap="sm">
            <Group grow>
              <TextInput
                label={messages.currency}
                maxLength={3}
                {...field('currency')}
                onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
              />
              <TextInput type="date" label={messages.dueDate} {...field('due_date')} />
            </Group>
            <Select
              label={messages.language}
              allowDeselect={false}
              data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
              {...field('language')}
            />
          </Stack>
        </SimpleGrid>
        <Title order={2} size="h5">
          {messages.lines}
        </Title>
        <ul className={classes.lines}>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ID and their fields are controlled
            <li key={index} className={classes.line}>
              <TextInput
                label={messages.description}
                aria-label={messages.lineOf(messages.description, index + 1)}
                maxLength={500}
                {...field(`lines.${index}.description`)}
              />
              <NumberField
                label={messages.quantity}
                aria-label={messages.lineOf(messages.quantity, index + 1)}
                min={1}
                max={1_000_000}
                decimals={0}
                {...field(`lines.${index}.quantity`)}
              />
              <NumberField
                label={messages.unitPrice}
                aria-label={messages.lineOf(messages.unitPrice, index + 1)}
                min={Number.NEGATIVE_INFINITY}
                decimals={decimalsOf(currency)}
                {...field(`lines.${index}.unit_price`)}
              />
              <Text size="sm" className={classes.amount}>
                {formatMoney(amountOf(line), currency, language)}
              </Text>
              <IconAction
                variant="default"
                label={messages.removeLine(index + 1)}
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
            {messages.addLine}
          </Button>
          <Text fw={700}>
            {messages.total}: {formatMoney(total, currency, language)}
          </Text>
        </Group>
        <Textarea label={messages.note} rows={2} maxLength={2000} {...field('note')} />
        {save.error && (
          <Alert color="red" role="alert">
            {formatError(save.error, commonMessages)}
          </Alert>
        )}
        {hasTriedToIssue && lacksBusinessDetails && (
          <Alert color="red" role="alert">
            {messages.businessDetailsMissing}{' '}
            <Anchor component={Link} href="/invoices/settings" inherit underline="always">
              {messages.addBusinessDetails}
            </Anchor>
          </Alert>
        )}
        {missingInSeller.length > 0 && (
          <Alert color="red" role="alert">
            {messages.missingInBusinessDetails(missingInSeller.flatMap(({ letters }) => letters).join(' '))}{' '}
            <Anchor component={Link} href="/invoices/settings" inherit underline="always">
              {messages.editBusinessDetails}
            </Anchor>
          </Alert>
        )}
        <Group>
          <Button type="submit" variant="default" disabled={draft.isUndecided} loading={save.isPending}>
            {messages.save}
          </Button>
          <ConfirmButton
            size="sm"
            variant="filled"
            disabled={draft.isUndecided}
            question={messages.issueAsk}
            loading={issue.isPending}
            onConfirm={tryToIssue}
          >
            {messages.issue}
          </ConfirmButton>
        </Group>
      </Stack>
    </form>
  );
}
