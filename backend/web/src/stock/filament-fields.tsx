import { Autocomplete, Button, ColorInput, Fieldset, Group, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import type { FormRulesRecord, UseFormReturnType } from '@mantine/form';
import { decimalsOf } from '../i18n/currency';
import { IconAction } from '../ui/icon-action';
import { IconPlus, IconTrash } from '../ui/icons.tsx';
import { NumberField } from '../ui/number-field';
import type { FilamentValues } from './filament-values';
import { useStockFormats } from './use-stock-formats';

const TYPES = ['PLA', 'PETG', 'ABS', 'ASA', 'TPU', 'PA', 'PC', 'PVA', 'HIPS'];
const MAX_COLORS = 16;

type FilamentForm = UseFormReturnType<FilamentValues>;

/** What a filament's form checks before it is sent. */
export function useFilamentRules(): FormRulesRecord<FilamentValues> {
  const { messages } = useStockFormats();
  const filled = (value: number | string) => (value === '' ? messages.required : null);
  return {
    name: (name) => (name.trim() ? null : messages.nameRule),
    colors: (colors) => (colors.every((color) => /^#[0-9a-f]{6}$/i.test(color)) ? null : messages.colorRule),
    spool_weight_grams: filled,
    low_stock_threshold_grams: filled,
    spool_count: filled,
  };
}

interface FieldsProps {
  form: FilamentForm;
  /** whether the form includes the first spools */
  isNew?: boolean;
  /** whether grams were deducted, which fixes the weight of the spools */
  isWeightFixed?: boolean;
  /** whether spools were received, which change with their weight */
  changesStock?: boolean;
  /** current stock in grams */
  remaining?: number;
  wasLow?: boolean;
}

export function FilamentFields(props: FieldsProps) {
  const { form, isNew = false, isWeightFixed = false, changesStock = false, remaining, wasLow = false } = props;
  const { messages, currency, spoolPriceLabel } = useStockFormats();
  const field = form.getInputProps;
  const threshold = Number(form.values.low_stock_threshold_grams);
  const makesLow = remaining !== undefined && !wasLow && threshold > 0 && remaining <= threshold;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
      <TextInput
        style={{ gridColumn: '1 / -1' }}
        label={messages.name}
        required
        maxLength={300}
        data-autofocus
        {...field('name')}
      />
      <TextInput label={messages.brand} maxLength={200} {...field('brand')} />
      <Autocomplete
        label={messages.type}
        placeholder={messages.typeHint}
        data={TYPES}
        maxLength={200}
        {...field('type_name')}
      />
      <Colors form={form} />
      <NumberField
        label={messages.spoolWeight}
        description={isWeightFixed ? messages.spoolWeightFixed : changesStock ? messages.spoolWeightChanges : undefined}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        disabled={isWeightFixed}
        min={1}
        max={100_000}
        {...field('spool_weight_grams')}
      />
      <NumberField
        label={messages.threshold}
        description={makesLow ? messages.thresholdMakesLow : messages.thresholdHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        max={100_000_000}
        {...field('low_stock_threshold_grams')}
      />
      {isNew && (
        <>
          <NumberField label={messages.spoolCount} max={10_000} decimals={0} {...field('spool_count')} />
          <NumberField
            label={spoolPriceLabel}
            description={messages.spoolPriceHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            disabled={Number(form.values.spool_count) === 0}
            max={100_000_000}
            decimals={decimalsOf(currency)}
            {...field('spool_price')}
          />
        </>
      )}
    </SimpleGrid>
  );
}

function Colors({ form }: { form: FilamentForm }) {
  const { messages } = useStockFormats();
  const { colors } = form.values;
  return (
    <Fieldset variant="unstyled" style={{ gridColumn: '1 / -1' }}>
      <Group gap="xs" align="flex-end">
        {colors.map((_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: colors are identified by position
          <Group key={place} gap={4} align="flex-end" wrap="nowrap">
            <ColorInput
              label={messages.color(place + 1)}
              format="hex"
              withEyeDropper={false}
              // an invalid color is reported instead of being replaced with the last valid one
              fixOnBlur={false}
              w={150}
              {...form.getInputProps(`colors.${place}`)}
            />
            <IconAction
              variant="subtle"
              color="gray"
              label={messages.removeColor(place + 1)}
              onClick={() => form.removeListItem('colors', place)}
            >
              <IconTrash size={16} aria-hidden />
            </IconAction>
          </Group>
        ))}
        {colors.length < MAX_COLORS && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('colors', '#808080')}
          >
            {messages.addColor}
          </Button>
        )}
      </Group>
      {form.errors.colors && (
        <Text size="xs" c="red" role="alert" mt={4}>
          {form.errors.colors}
        </Text>
      )}
      {colors.length > 1 && (
        <Switch mt="xs" label={messages.isGradient} {...form.getInputProps('is_gradient', { type: 'checkbox' })} />
      )}
    </Fieldset>
  );
}
