import { useMessages } from '../i18n/i18n';
import { AuthPage } from './auth-page';
import { MESSAGES } from './messages';

export function NoAccount() {
  const auth = useMessages(MESSAGES);
  return <AuthPage title={auth.noAccount} lead={auth.noAccountLead} />;
}
