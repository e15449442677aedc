import { expect, it } from 'vitest';

import { appKinds, appPhases, type AppError } from '#report/sender/app-error.ts';

import { readAppErrors, type SentAppError } from './read-app-errors.ts';

type Mutable<Value> = Value extends object ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> } : Value;

function read(...errors: readonly SentAppError[]) {
  return readAppErrors(Buffer.from(JSON.stringify({ errors })));
}

const least = { id: '4bf92f3577b34da6a3ce929d0e0e4736', time: 1, name: 'Error', message: 'boom' };

it('takes what our own senders make, and the least that another may send', () => {
  const ours: Mutable<AppError> = { ...least, reporter: 'next', digest: '2338734591', request: { path: '/' } };
  const sent: SentAppError = ours;
  expect(read(sent)).toMatchObject({ type: 'read', errors: [{ digest: '2338734591' }] });
  expect(read(least)).toMatchObject({ type: 'read', errors: [{ ...least, reporter: 'other' }] });
});

it('takes each phase and kind that it names, and null for what is not known', () => {
  for (const phase of appPhases) expect(read({ ...least, phase }).type).toBe('read');
  for (const kind of appKinds) expect(read({ ...least, kind }).type).toBe('read');
  expect(read({ ...least, phase: null, digest: null, frames: null, request: null }).type).toBe('read');
});

it('takes a digest of 1 to 64 printable characters', () => {
  for (const digest of ['x', 'x'.repeat(64), 'NEXT: a b', '!~']) expect(read({ ...least, digest }).type).toBe('read');
  for (const digest of ['', ' x', 'x ', 'x'.repeat(65), 'é', 'a\nb']) {
    expect(read({ ...least, digest })).toMatchObject({
      type: 'malformed',
      reason: expect.stringMatching(/^errors\.0\.digest/),
    });
  }
});
