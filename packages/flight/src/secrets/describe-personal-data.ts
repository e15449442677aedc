import { countOf, listWords } from '../finding.ts';
import type { PersonalData } from './personal-data.ts';

/** `12 e-mail addresses and 1 phone number`; undefined where there is none. */
export function describePersonalData({ emails, phones, cards }: PersonalData): string | undefined {
  const said = [
    ...(emails > 0 ? [countOf(emails, 'e-mail address', 'e-mail addresses')] : []),
    ...(phones > 0 ? [countOf(phones, 'phone number')] : []),
    ...(cards > 0 ? [countOf(cards, 'card number')] : []),
  ];
  return said.length === 0 ? undefined : listWords(said, said.length);
}
