import { useI18n } from '../i18n/i18n';
import { AuthPage } from './auth-page';

export function NoAccount() {
  const { auth } = useI18n().messages;
  return <AuthPage title={auth.noAccount} lead={auth.noAccountLead} />;
}
