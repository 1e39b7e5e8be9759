import { useSpeech } from '../language';
import { Door } from './door';

export function NoAccount() {
  const { door } = useSpeech().words;
  return <Door title={door.noAccount} lead={door.noAccountLead} />;
}
