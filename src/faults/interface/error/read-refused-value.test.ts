import { expect, it } from 'vitest';

import { readRefusedValue } from './read-refused-value.ts';

const classes =
  'Only plain objects, and a few built-ins, can be passed to Client Components from Server Components. Classes or null prototypes are not supported.';

/** As React 19.3.1 says it. */
it.each([
  ['in production', `${classes}\n  {cart: {items: [1]}}\n         ^^^^^^^^^^^^`, 'cart'],
  ['in development', `${classes}\n  <... cart={{items: [1]}}>\n            ^^^^^^^^^^^^^^`, 'cart'],
  ['in a list', `${classes}\n  [1, {items: [1]}]\n      ^^^^^^^^^^^^`, undefined],
  [
    'with a hint below',
    'Event handlers cannot be passed to Client Component props.\n  {onClick: function onClick}\n            ^^^^^^^^^^^^^^^^\nIf you need interactivity, consider converting part of this to a Client Component.',
    'onClick',
  ],
])('reads what could not be sent, %s', (_, message, prop) => {
  const lines = message.split('\n');
  expect(readRefusedValue(message)).toEqual({ shown: `${lines[1]}\n${lines[2]}`, prop });
});

it.each([classes, 'checkout failed', 'Client Component\n^^^', `x\n  {cart: 1}\n         ^`])(
  'reads nothing of %j',
  (message) => {
    expect(readRefusedValue(message)).toBeUndefined();
  },
);
