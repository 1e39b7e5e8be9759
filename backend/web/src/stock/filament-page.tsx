import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { IconMinus, IconPackageImport, IconPencil, IconScale } from '../ui/icons.tsx';
import { RecordPage } from '../ui/page';
import { Batches } from './batches';
import { ConsumeForm } from './consume-form';
import { DeleteFilament } from './delete-filament';
import { Dialog } from './dialog';
import { EditForm } from './edit-filament';
import { Ledger } from './ledger';
import { ReceiveForm } from './receive-form';
import { Marks, Remaining } from './remaining';
import { type Filament, filamentQuery } from './stock-api';
import { Swatch } from './swatch';
import { UsageSection } from './usage';
import { useStockFormats } from './use-stock-formats';
import { WeighForm } from './weigh-form';

/** `/stock/<id>`: a filament with its actions and history. */
export function FilamentPage({ id }: { id: string }) {
  const { messages } = useStockFormats();
  return (
    <RecordPage
      id={id}
      query={filamentQuery(id)}
      title={(filament) => filament?.name ?? messages.title}
      back={{ href: '/stock', label: messages.back }}
      isMissing={messages.gone}
    >
      {(filament) => <FilamentDetails filament={filament} />}
    </RecordPage>
  );
}

const FORMS = { use: ConsumeForm, weigh: WeighForm, receive: ReceiveForm, edit: EditForm };
type Form = keyof typeof FORMS;

const ICONS = { use: IconMinus, weigh: IconScale, receive: IconPackageImport, edit: IconPencil };

function FilamentDetails({ filament }: { filament: Filament }) {
  const { messages } = useStockFormats();
  const [form, setForm] = useState<Form | null>(null);
  const close = () => setForm(null);
  const OpenForm = form && FORMS[form];
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Stack gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Swatch colors={filament.colors} isGradient={filament.is_gradient} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {[filament.brand, filament.type_name].filter(Boolean).join(' · ')}
            </Text>
            <Marks filament={filament} />
          </Group>
          <Remaining filament={filament} />
          {filament.needs_review && (
            <Alert color="yellow" variant="light" p="xs">
              {messages.reviewHint}
            </Alert>
          )}
          <Facts filament={filament} />
          <Group gap="xs">
            {(Object.keys(FORMS) as Form[]).map((name) => {
              const Icon = ICONS[name];
              return (
                <Button
                  key={name}
                  size="xs"
                  variant={name === 'use' ? 'filled' : 'default'}
                  leftSection={<Icon size={16} aria-hidden />}
                  onClick={() => setForm(name)}
                >
                  {messages[name]}
                </Button>
              );
            })}
            <DeleteFilament filament={filament} />
          </Group>
        </Stack>
      </Paper>
      <UsageSection filamentId={filament.id} />
      <Section title={messages.batches} lead={messages.batchesLead}>
        <Batches filamentId={filament.id} />
      </Section>
      <Section title={messages.ledger}>
        <Ledger filament={filament} />
      </Section>
      <Dialog title={form ? `${messages[form]}: ${filament.name}` : ''} opened={form !== null} close={close}>
        {OpenForm && <OpenForm filament={filament} close={close} />}
      </Dialog>
    </Stack>
  );
}

function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section>
      <Group gap="xs" align="baseline" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {lead && (
          <Text size="xs" c="dimmed">
            {lead}
          </Text>
        )}
      </Group>
      {children}
    </section>
  );
}

function Facts({ filament }: { filament: Filament }) {
  const { messages, formatGrams, formatMoney } = useStockFormats();
  const { spool_weight_grams, spool_price, low_stock_threshold_grams } = filament;
  const facts = [
    [messages.spoolWeightFact, messages.grams(formatGrams(spool_weight_grams))],
    [messages.priceFact, spool_price === null ? messages.unknown : formatMoney(spool_price)],
    [
      messages.thresholdFact,
      low_stock_threshold_grams > 0 ? messages.grams(formatGrams(low_stock_threshold_grams)) : messages.never,
    ],
  ];
  return (
    <SimpleGrid cols={3} spacing="xs" component="dl" m={0}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text size="xs" c="dimmed" component="dt">
            {name}
          </Text>
          <Text size="sm" component="dd" m={0}>
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
