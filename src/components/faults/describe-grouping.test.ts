import { expect, it } from 'vitest';

import { describeGrouping } from './describe-grouping.ts';

it.each([
  ['frames', ['Type TypeError', 'Frame a.ts · f'], 'The same type and the same function of the app’s own code.'],
  [
    'frames',
    ['Message <n> left', 'Frame a.ts · f', 'Frame b.ts · g'],
    'The same message (values aside) and the same two functions of the app’s own code.',
  ],
  [
    'frames',
    ['Type Error', 'Caused by RangeError', ...Array.from({ length: 12 }, (_, n) => `Frame f${n}`)],
    'The same type, the same type of its cause and the same 12 functions of the app’s own code.',
  ],
  ['given', ['Given checkout'], 'Its sender gave the same fingerprint.'],
  [
    'given',
    ['Given checkout', 'Type Error'],
    'Its sender gave the same fingerprint, with what is computed: the same type.',
  ],
  [
    'culprit',
    ['Type Error', 'Message timeout', 'Place /orders/[id]'],
    'The same type, the same message (values aside) and the same place. No frame of the stack is known as the app’s own code.',
  ],
  [
    'message',
    ['Message a bare string'],
    'The same message (values aside). No error was thrown: the SDK made up its type, so the message stands for it, and no frame counted.',
  ],
  ['message', [], 'The same message (values aside). No frame of the stack is known as the app’s own code.'],
  ['older', [], 'An older version of this app put these together. What they share cannot be computed again.'],
] as const)('%s, %j', (rule, parts, expected) => {
  expect(describeGrouping({ rule, parts })).toBe(expected);
});
