import { Accordion, Alert, Anchor, Group, List, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { newKey } from '../../api/ids';
import { useMessages } from '../../i18n/i18n';
import { CopyText } from '../../ui/copy-text';
import { MESSAGES } from './messages';
import { curlTexts, homeAssistantTexts, nodeRedFlow, type Place, placeOf, signatureTexts } from './snippets';
import { TokenForm } from './token-form';

const LOOPBACK = /^(localhost|127\.|\[::1\])/;

export function ConnectTab() {
  const messages = useMessages(MESSAGES);
  // kept only in this component's state, never stored
  const [token, setToken] = useState<string>();
  const place = placeOf(token);
  const { n8n, homeAssistant, nodeRed, curl, signature } = messages;
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw={700}>
        {messages.lead}
      </Text>
      {LOOPBACK.test(location.hostname) && (
        <Alert color="yellow" variant="outline" c="inherit">
          {messages.loopback}
        </Alert>
      )}
      <TokenForm token={token} onCreated={setToken} />
      <Accordion multiple defaultValue={['n8n']} variant="contained" order={2} transitionDuration={0}>
        <Section name="n8n" title={n8n.title}>
          <WithN8n place={place} />
        </Section>
        <Section name="home-assistant" title={homeAssistant.title}>
          <WithHomeAssistant place={place} />
        </Section>
        <Section name="node-red" title={nodeRed.title}>
          <Text size="sm">{nodeRed.note}</Text>
          <CopyText label={nodeRed.flow} text={nodeRedFlow(place)} />
        </Section>
        <Section name="curl" title={curl.title}>
          {Object.entries(curlTexts(place)).map(([name, text]) => (
            <CopyText key={name} label={curl[name as keyof ReturnType<typeof curlTexts>]} text={text} />
          ))}
        </Section>
        <Section name="signature" title={signature.title}>
          <Text size="sm">{signature.note}</Text>
          {Object.entries(signatureTexts).map(([name, text]) => (
            <CopyText key={name} label={signature[name as keyof typeof signatureTexts]} text={text} />
          ))}
        </Section>
      </Accordion>
      <Title order={2} size="h5">
        {messages.more}
      </Title>
      <Group gap="lg">
        <Anchor href="/docs/api/" underline="always">
          {messages.docs}
        </Anchor>
        <Anchor href="/api/v1/openapi.json" underline="always">
          {messages.openapi}
        </Anchor>
        <Anchor href="/console/api/openapi.json" underline="always">
          {messages.consoleApi}
        </Anchor>
      </Group>
    </Stack>
  );
}

const Section = ({ name, title, children }: { name: string; title: string; children: ReactNode }) => (
  <Accordion.Item value={name}>
    <Accordion.Control>{title}</Accordion.Control>
    <Accordion.Panel>
      <Stack gap="sm">{children}</Stack>
    </Accordion.Panel>
  </Accordion.Item>
);

function WithN8n({ place }: { place: Place }) {
  const { n8n, token } = useMessages(MESSAGES);
  const [install, credential, ...rest] = n8n.steps;
  return (
    <>
      <List type="ordered" size="sm" spacing="sm" styles={{ itemWrapper: { display: 'inline' } }}>
        <List.Item>
          {install}
          <CopyText label={n8n.package} text="n8n-nodes-farmboard" />
        </List.Item>
        <List.Item>
          {credential}
          <CopyText label={n8n.baseUrl} text={`${place.origin}/api/v1`} />
          <CopyText label={token} text={place.token} />
        </List.Item>
        {rest.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        {n8n.reach}
      </Text>
    </>
  );
}

function WithHomeAssistant({ place }: { place: Place }) {
  const { homeAssistant: messages } = useMessages(MESSAGES);
  const [webhookId] = useState(() => `farmboard-${newKey()}`);
  const { configuration, automation, channelUrl } = homeAssistantTexts(place, webhookId);
  return (
    <>
      <CopyText label={messages.configuration} text={configuration} />
      <Text size="sm">{messages.configurationNote}</Text>
      <CopyText label={messages.automation} text={automation} />
      <Text size="sm">{messages.automationNote}</Text>
      <Text size="sm">{messages.channelNote}</Text>
      <CopyText label={messages.channel} text={channelUrl} />
    </>
  );
}
