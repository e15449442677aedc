import { expect, it } from 'vitest';

import { decodeFlight } from '../decode-flight.ts';
import { describePersonalData } from './describe-personal-data.ts';
import { countPersonalData } from './personal-data.ts';

function count(value: unknown) {
  return countPersonalData(decodeFlight(new TextEncoder().encode(`0:["$","p",null,${JSON.stringify({ value })}]\n`)));
}

it('counts each once, in texts and keys', () => {
  expect(count(['ada@shop.example', 'Write to Ada@shop.example or bo@shop.example', { 'cy@shop.example': 1 }])).toEqual(
    {
      emails: 3,
      phones: 0,
      cards: 0,
    },
  );
  expect(count(['+49 30 901820', 'tel:+4930901820', '+1 (202) 555-0143'])).toMatchObject({ phones: 2 });
  expect(count(['4111 1111 1111 1111', '5500005555555559', '3782 822463 10005'])).toMatchObject({ cards: 3 });
});

it('counts nothing that only looks like them', () => {
  const none = { emails: 0, phones: 0, cards: 0 };
  expect(count(['logo@2x.png?a=1'.replace('.png', ''), '@media', 'a @ b', 'react@19.3.1'])).toEqual(none);
  expect(
    count(['4111 1111 1111 1112', '0000000000000000', '1765000000000', 'id-4111111111111111-1', '1+49309018']),
  ).toEqual(none);
});

it('is said in words', () => {
  expect(describePersonalData({ emails: 1, phones: 0, cards: 0 })).toBe('1 e-mail address');
  expect(describePersonalData({ emails: 2, phones: 1, cards: 3 })).toBe(
    '2 e-mail addresses, 1 phone number and 3 card numbers',
  );
  expect(describePersonalData({ emails: 0, phones: 0, cards: 0 })).toBeUndefined();
});
