import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/api';
import facts from '../ui/facts.module.css';
import { useWordsOf } from '../i18n/i18n';
import { Page } from '../ui/page';
import { SESSION } from '../api/query-client';
import { ChangePassword } from './change-password';
import { CurrencySetting } from './currency-setting';
import { Sessions } from './sessions';
import { WORDS } from './messages';

export function AccountPage() {
  const words = useWordsOf(WORDS);
  const { data } = useQuery({ queryKey: SESSION, queryFn: ({ signal }) => api.session(signal) });
  const person = data?.person;
  return (
    <Page title={words.title}>
      <Stack gap="xl" maw={640}>
        {person && (
          <dl className={facts.facts}>
            <dt>{words.farm}</dt>
            <dd>{person.account_name}</dd>
            <dt>{words.email}</dt>
            <dd>{person.email}</dd>
          </dl>
        )}
        <CurrencySetting />
        <Anchor component={Link} href="/profile" w="fit-content">
          {words.profile}
        </Anchor>
        <Stack component="section" gap="xs" aria-labelledby="integrations">
          <Title order={2} size="h4" id="integrations">
            {words.integrations}
          </Title>
          <Title order={3} size="h5">
            {words.developers}
          </Title>
          <Text size="sm">
            <Anchor component={Link} href="/automation/tokens" underline="always">
              {words.tokens}
            </Anchor>
            . {words.tokensLead}
          </Text>
        </Stack>
        <Sessions />
        <ChangePassword email={person?.email ?? ''} />
      </Stack>
    </Page>
  );
}
