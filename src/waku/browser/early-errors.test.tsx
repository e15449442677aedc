import { beforeEach, expect, it, vi } from 'vitest';

import type { EarlyError } from './early-errors.ts';

const reported: EarlyError[] = [];
let release: () => void = () => undefined;

beforeEach(() => {
  vi.resetModules();
  reported.length = 0;
  const released = new Promise<void>((resolve) => (release = resolve));
  vi.doMock('./late-parts.tsx', async () => {
    await released;
    return { reportError: (early: EarlyError) => reported.push(early) };
  });
});

it('keeps errors until the module that reports them is there, with when they happened', async () => {
  const { report } = await import('./early-errors.ts');
  const before = Date.now();
  report('first', 'window');
  report('second', 'caught', 'in Page');
  expect(reported).toEqual([]);
  release();
  await vi.waitFor(() => expect(reported).toHaveLength(2));
  expect(reported.map(({ error, mechanism, componentStack }) => [error, mechanism, componentStack])).toEqual([
    ['first', 'window', undefined],
    ['second', 'caught', 'in Page'],
  ]);
  expect(reported[0]?.time).toBeGreaterThanOrEqual(before);
  report('third', 'promise');
  expect(reported).toHaveLength(3);
});

it('keeps the first twenty of a loop', async () => {
  const { report } = await import('./early-errors.ts');
  for (let n = 0; n < 30; n += 1) report(n, 'promise');
  release();
  await vi.waitFor(() => expect(reported).toHaveLength(20));
  expect(reported.at(-1)?.error).toBe(19);
});

it('counts an error that React tells the window of once, and the same one later again', async () => {
  const { report, listenForErrors } = await import('./early-errors.ts');
  listenForErrors();
  const error = new Error('x');
  report(error, 'uncaught');
  dispatchEvent(new ErrorEvent('error', { error }));
  await Promise.resolve();
  dispatchEvent(new ErrorEvent('error', { error }));
  release();
  await vi.waitFor(() => expect(reported.map(({ mechanism }) => mechanism)).toEqual(['uncaught', 'window']));
});
