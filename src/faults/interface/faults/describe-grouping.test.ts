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
    ['Type Error', ...Array.from({ length: 12 }, (_, n) => `Frame f${n}.ts · f`), 'Caused by RangeError'],
    'The same type, the same 12 functions of the app’s own code and the same type of its cause.',
  ],
  [
    'frames',
    [
      'Type Error',
      'Frame a.ts',
      'Line throw 1;',
      'Caused by A',
      'Cause frame b.ts · b',
      'Caused by B',
      'Cause message no',
    ],
    'The same type, the same file of the app’s own code, the same line of source and the same type, place and message of its causes.',
  ],
  [
    'frames',
    ['Type Error', 'Frame a.ts', 'Frame a.ts · f', 'Line one', 'Line other'],
    'The same type, the same two places of the app’s own code and the same lines of source.',
  ],
  [
    'message',
    ['Type Error', 'Message no', 'Left out 2 frames of the app’s own code that have neither a name nor a source'],
    'The same type and the same message (values aside). Frames of the app’s own code have neither a name nor a source, as in a minified script without a source map: none of them counted.',
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
  [
    'message',
    ['Type OldTab', 'Message '],
    'The same type, whatever its message says: the recorder made it of an answer.',
  ],
  [
    'message',
    ['Type Error', 'Message '],
    'The same type and no message. No frame of the stack is known as the app’s own code.',
  ],
  ['message', [], 'The same message (values aside). No frame of the stack is known as the app’s own code.'],
] as const)('%s, %j', (rule, parts, expected) => {
  expect(describeGrouping({ rule, parts })).toBe(expected);
});
