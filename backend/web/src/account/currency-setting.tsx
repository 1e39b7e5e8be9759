import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { SESSION } from '../api/query-client';
import { useMessages } from '../i18n/i18n';
import { CurrencySelect } from '../ui/currency-select';
import { useApiMutation } from '../ui/use-api-mutation';
import { account, settingsQuery } from './account-api';
import { MESSAGES } from './messages';

/** The account's currency, editable until a price is stored in it. */
export function CurrencySetting() {
  const messages = useMessages(MESSAGES);
  const { data } = useQuery(settingsQuery);
  const change = useApiMutation([settingsQuery.queryKey, SESSION], account.setCurrency, () =>
    notifications.show({ message: messages.currencySaved }),
  );
  if (!data) return null;
  return (
    <CurrencySelect
      maw={320}
      label={messages.currency}
      description={data.is_currency_fixed ? messages.currencyFixed : messages.currencyHint}
      disabled={data.is_currency_fixed || change.isPending}
      value={change.isPending ? change.variables : data.currency}
      onChange={(currency) => currency && change.mutate(currency)}
    />
  );
}
