import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { CurrencyChoice } from '../currency-choice';
import { useWordsOf } from '../language';
import { SESSION } from '../queries';
import { useChangeOf } from '../use-change';
import { account, settingsQuery } from './account-api';
import { WORDS } from './words';

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
