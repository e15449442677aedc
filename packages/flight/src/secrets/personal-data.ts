import type { Flight } from '../flight.ts';
import { readHeader } from '../row-index.ts';
import { rowTagOf } from '../row-tags.ts';
import { readUtf8 } from '../value-text.ts';
import { visitFlight } from '../visit-flight.ts';

/** How many different ones of each a payload holds. A page may be there to show them: it is a fact, and no fault. */
export type PersonalData = { readonly emails: number; readonly phones: number; readonly cards: number };

/** Different ones that are counted. */
const most = 10_000;
/** Of a text: what is longer is a file. */
const longestText = 1 << 20;

const email = /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/gi;
/** As the ITU writes them, with their country. Others look like any number. */
const phone = /(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)/g;
const card = /(?<![\w.-])[3-6]\d{3}(?:([ -]?)\d{4}\1\d{4}\1\d{1,7}|([ -])\d{6}\2\d{5})(?![\w.-])/g;

/** Luhn's sum, which one number in ten has. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (const [index, digit] of [...digits].toReversed().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0 && new Set(digits).size > 1;
}

export function countPersonalData(flight: Flight): PersonalData {
  const emails = new Set<string>();
  const phones = new Set<string>();
  const cards = new Set<string>();
  const add = (all: Set<string>, found: string) => {
    if (all.size < most) all.add(found);
  };
  function look(text: string): void {
    if (text.length < 6) return;
    const some = text.slice(0, longestText);
    if (some.includes('@')) for (const [found] of some.matchAll(email)) add(emails, found.toLowerCase());
    if (some.includes('+')) for (const [found] of some.matchAll(phone)) add(phones, found.replace(/\D/g, ''));
    if (text.length >= 13) for (const [found] of some.matchAll(card)) if (isCardNumber(found)) add(cards, found);
  }
  visitFlight(flight, { text: look });
  for (let row = 0; row < flight.rows.count; row++) {
    const { tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
    if (rowTagOf(tag).holds === 'text') look(readUtf8(flight, payloadStart, payloadEnd));
  }
  return { emails: emails.size, phones: phones.size, cards: cards.size };
}
