import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { CurrencyChoice } from '../ui/currency-select';
import { useWordsOf } from '../i18n/i18n';
import { SESSION } from '../api/query-client';
import { useChangeOf } from '../api/use-api-mutation';
import { account, settingsQuery } from './account-api';
import { WORDS } from './messages';

/** What the account counts in, for as long as no price is stored in it. */
export function CurrencySetting() {
  const words = useWordsOf(WORDS);
  const { data } = useQuery(settingsQuery);
  const change = useChangeOf([settingsQuery.queryKey, SESSION], account.setCurrency, () =>
    notifications.show({ message: words.currencySaved }),
  );
  if (!data) return null;
  return (
    <CurrencyChoice
      maw={320}
      label={words.currency}
      description={data.is_currency_fixed ? words.currencyFixed : words.currencyHint}
      disabled={data.is_currency_fixed || change.isPending}
      value={change.isPending ? change.variables : data.currency}
      onChange={(currency) => currency && change.mutate(currency)}
    />
  );
}
