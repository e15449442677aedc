import { expect, it } from 'vitest';

import type { BrowserError } from '#report/browser/browser-error.ts';
import { writeEnvelope } from '#report/browser/write-envelope.ts';

import { parseEnvelope } from '../receive/envelope.ts';
import { asRecord, parseJson } from '../receive/untrusted-json.ts';
import { readEvent, type ReceivedEvent } from './read-event.ts';

const sender = { traceId: '0af7651916cd43dd8448eb211c80319c' };

function createReport(error: unknown): BrowserError {
  return {
    error,
    identity: { side: 'browser', digest: '0123456789' },
    time: 1_700_000_000_500,
    mechanism: 'caught',
    componentStack: '\n    at Cart (https://shop.test/assets/a.js:1:5)',
    url: 'https://shop.test/cart?id',
    breadcrumbs: [{ timestamp: 1_700_000_000, category: 'ui.click', message: 'button' }],
  };
}

/** Parses it as the server does. */
function receive(error: unknown): ReceivedEvent | undefined {
  const envelope = parseEnvelope(new TextEncoder().encode(writeEnvelope(createReport(error), sender)));
  if (envelope.status === 'malformed') throw new Error(envelope.detail);
  expect(envelope.header['event_id']).toMatch(/^[\da-f]{32}$/);
  expect(envelope.items.map(({ type }) => type)).toEqual(['event']);
  const payload = asRecord(parseJson(new TextDecoder().decode(envelope.items[0]?.payload)));
  return payload && readEvent(payload);
}

function createError(stack: string): Error {
  const error = new TypeError('line one\nline two');
  error.stack = stack;
  return error;
}

it('is all that the receiver keeps of a report', () => {
  const stack =
    'TypeError: line one\nline two\n    at pay (https://shop.test/assets/a.js:1:20)\n' +
    '    at async Promise.all (index 0)\n    at https://shop.test/assets/b.js:3:40';
  expect(receive(createError(stack))).toMatchObject({
    digest: '0123456789',
    time: 1_700_000_000_500,
    name: 'TypeError',
    message: 'line one\nline two',
    path: '/cart',
    frames: [
      { fn: 'pay', file: '/assets/a.js', line: 1, column: 20 },
      { fn: '', file: '/assets/b.js', line: 3, column: 40 },
    ],
    componentStack: '\n    at Cart (/assets/a.js:1:5)',
    breadcrumbs: [{ time: 1_700_000_000_000, category: 'ui.click', message: 'button' }],
  });
});

it('reads the stacks of other browsers', () => {
  const stack = 'pay@https://shop.test/assets/a.js:1:20\n@https://shop.test/assets/b.js:3:40\n';
  expect(receive(createError(stack))?.frames).toMatchObject([
    { fn: 'pay', file: '/assets/a.js', line: 1, column: 20 },
    { fn: '', file: '/assets/b.js', line: 3, column: 40 },
  ]);
});

it.each([
  ['a string', 'just this', 'just this'],
  ['nothing', undefined, 'undefined'],
])('says what was thrown when it was %s', (_, thrown, message) => {
  expect(receive(thrown)).toMatchObject({ message, frames: [] });
});

it('is cut where the receiver would cut it', () => {
  expect(writeEnvelope(createReport(new Error('x'.repeat(100_000))), sender).length).toBeLessThan(20_000);
});

it('has the causes of an error, the outermost first, and of one that is its own cause no more than five', () => {
  const error = new Error('outer', { cause: new RangeError('inner', { cause: 'a text' }) });
  expect(receive(error)?.causes.map(({ name, message }) => [name, message])).toEqual([
    ['RangeError', 'inner'],
    ['Error', 'a text'],
  ]);
  error.cause = error;
  expect(receive(error)?.causes.length).toBe(5);
});
