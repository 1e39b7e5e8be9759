import { Stack, Text, Title } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get } from '../../api/client';
import { useI18n, useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import { RecordPage } from '../../ui/page';
import type { Printer } from '../placements';
import { showTechnology } from '../technology';
import { Agents } from './agents';
import { MESSAGES } from './messages';
import { RefusedReports } from './refused-reports';
import { Reports } from './reports';
import { RulesSection } from './rules';

/** The agent API's URL on the address of this page. */
export const agentApiUrl = () => `${window.location.origin}/agent/v1`;

const printerQuery = (id: string) =>
  queryOptions({
    queryKey: ['printers', 'one', id],
    queryFn: ({ signal }) => get<Printer>(`/printers/${id}`, signal),
  });

/** `/printers/<id>`: reports of a printer, its agents and rules. */
export function PrinterPage({ id }: { id: string }) {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  return (
    <RecordPage
      id={id}
      query={printerQuery(id)}
      title={(printer) => printer?.name ?? commonMessages.nav.printers}
      back={{ href: '/printers', label: messages.back }}
      isMissing={messages.gone}
    >
      {(printer) => <PrinterDetails printer={printer} />}
    </RecordPage>
  );
}

function PrinterDetails({ printer }: { printer: Printer }) {
  const messages = useMessages(MESSAGES);
  const { id, name, internal_name, model, technology, group_name } = printer;
  return (
    <Stack gap="xl">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {[internal_name, model, showTechnology(technology), group_name].filter(Boolean).join(' · ')}
      </Text>
      <RefusedReports printerId={id} />
      <Section title={messages.reports.title}>
        <Reports printerId={id} />
      </Section>
      <Section title={messages.agents.title} lead={messages.agents.lead}>
        {group_name !== null && (
          <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
            {messages.agents.ofGroup(group_name)}
          </Text>
        )}
        <Stack gap="md">
          <Agents of={{ name, printer_id: id }} />
          <CopyText label={messages.agents.auth} text={agentApiUrl()} />
        </Stack>
      </Section>
      <Section title={messages.rules.title} lead={messages.rules.lead}>
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
