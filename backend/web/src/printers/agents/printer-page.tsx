import { Stack, Text, Title } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, type Printer } from '../../api/api';
import { CopyText } from '../../ui/copy-text';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { RecordPage } from '../../ui/page';
import { Agents } from './agents';
import { Reports } from './reports';
import { RulesSection } from './rules';
import { WORDS } from './messages';

/** Where agents report to, as this page is reached. */
export const agentDoor = () => `${window.location.origin}/agent/v1`;

const printerQuery = (id: string) =>
  queryOptions({
    queryKey: ['printers', 'one', id],
    queryFn: ({ signal }) => get<Printer>(`/printers/${id}`, signal),
  });

/** `/printers/<id>`: what was reported of a printer, by whom, and what comes of it. */
export function PrinterPage({ id }: { id: string }) {
  const { words: common } = useSpeech();
  const words = useWordsOf(WORDS);
  return (
    <RecordPage
      id={id}
      query={printerQuery(id)}
      title={(printer) => printer?.name ?? common.nav.printers}
      back={{ href: '/printers', label: words.back }}
      gone={words.gone}
    >
      {(printer) => <Shown printer={printer} />}
    </RecordPage>
  );
}

function Shown({ printer }: { printer: Printer }) {
  const words = useWordsOf(WORDS);
  const { id, name, internal_name, model, technology, group_name } = printer;
  return (
    <Stack gap="xl">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {[internal_name, model, technology, group_name].filter(Boolean).join(' · ')}
      </Text>
      <Section title={words.reports.title}>
        <Reports printerId={id} />
      </Section>
      <Section title={words.agents.title} lead={words.agents.lead}>
        {group_name !== null && (
          <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
            {words.agents.ofGroup(group_name)}
          </Text>
        )}
        <Stack gap="md">
          <Agents of={{ name, printer_id: id }} />
          <CopyText label={words.agents.door} text={agentDoor()} />
        </Stack>
      </Section>
      <Section title={words.rules.title} lead={words.rules.lead}>
        <RulesSection key={id} printerId={id} />
      </Section>
    </Stack>
  );
}

function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h5" mb={lead ? 0 : 'xs'}>
        {title}
      </Title>
      {lead && (
        <Text size="sm" c="dimmed" mb="sm">
          {lead}
        </Text>
      )}
      {children}
    </section>
  );
}
