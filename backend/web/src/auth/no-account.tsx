import { useSpeech } from '../i18n/i18n';
import { Door } from './auth-page';

export function NoAccount() {
  const { door } = useSpeech().words;
  return <Door title={door.noAccount} lead={door.noAccountLead} />;
}
