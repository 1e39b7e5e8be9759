import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { sessionQuery } from '../auth/session-api';
import { useMessages } from '../i18n/i18n';
import facts from '../ui/facts.module.css';
import { Page } from '../ui/page';
import { ChangePassword } from './change-password';
import { CurrencySetting } from './currency-setting';
import { MESSAGES } from './messages';
import { Sessions } from './sessions';

export function AccountPage() {
  const messages = useMessages(MESSAGES);
  const { data } = useQuery(sessionQuery);
  const person = data?.person;
  return (
    <Page title={messages.title}>
      <Stack gap="xl" maw={640}>
        {person && (
          <dl className={facts.facts}>
            <dt>{messages.farm}</dt>
            <dd>{person.account_name}</dd>
            <dt>{messages.email}</dt>
            <dd>{person.email}</dd>
          </dl>
        )}
        <CurrencySetting />
        <Anchor component={Link} href="/profile" w="fit-content">
          {messages.profile}
        </Anchor>
        <Stack component="section" gap="xs" aria-labelledby="integrations">
          <Title order={2} size="h4" id="integrations">
            {messages.integrations}
          </Title>
          <Title order={3} size="h5">
            {messages.developers}
          </Title>
          <Text size="sm">
            <Anchor component={Link} href="/automation/tokens" underline="always">
              {messages.tokens}
            </Anchor>
            . {messages.tokensLead}
          </Text>
        </Stack>
        <Sessions />
        <ChangePassword email={person?.email ?? ''} />
      </Stack>
    </Page>
  );
}
