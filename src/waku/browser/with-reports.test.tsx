import { expect, it, vi } from 'vitest';

import { withReports } from './with-reports.ts';

const { report } = vi.hoisted(() => ({ report: vi.fn() }));
vi.mock('./early-errors.ts', () => ({ report }));

const info = { componentStack: 'in Page' };

it("reports, and calls the root's own handlers", () => {
  const own = { onCaughtError: vi.fn(), onUncaughtError: vi.fn(), onRecoverableError: vi.fn(), identifierPrefix: 'a' };
  const options = withReports(own);
  options.onCaughtError?.('a', info);
  options.onUncaughtError?.('b', info);
  options.onRecoverableError?.('c', info);
  expect(report.mock.calls).toEqual([
    ['a', 'caught', 'in Page'],
    ['b', 'uncaught', 'in Page'],
    ['c', 'recoverable', 'in Page'],
  ]);
  expect(own.onCaughtError).toHaveBeenCalledWith('a', info);
  expect(own.onUncaughtError).toHaveBeenCalledWith('b', info);
  expect(own.onRecoverableError).toHaveBeenCalledWith('c', info);
  expect(options.identifierPrefix).toBe('a');
});

it('does what React does where the root has none', () => {
  const told = vi.fn();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.stubGlobal('reportError', told);
  const options = withReports<import('react-dom/client').RootOptions>({});
  options.onUncaughtError?.('b', info);
  options.onRecoverableError?.('c', info);
  expect(told.mock.calls).toEqual([['b'], ['c']]);
  options.onCaughtError?.('a', info);
  expect(logged).toHaveBeenCalledExactlyOnceWith('a');
  // A redirect of Waku's, which its router follows.
  const redirect = Object.assign(new Error('r'), { digest: '__WAKU_CUSTOM_ERROR__;{"status":307,"location":"/b"}' });
  options.onCaughtError?.(redirect, info);
  expect(logged).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
  logged.mockRestore();
});

it('is silent about what the server has recorded, as an app is whose errors have no digest', () => {
  report.mockClear();
  const told = vi.fn();
  vi.stubGlobal('reportError', told);
  const error = Object.assign(new Error('Minified React error #419'), { digest: '3F7K2M9QRT' });
  const own = { onRecoverableError: vi.fn() };
  withReports(own).onRecoverableError?.(error, info);
  withReports<import('react-dom/client').RootOptions>({}).onRecoverableError?.(error, info);
  expect([report.mock.calls, own.onRecoverableError.mock.calls, told.mock.calls]).toEqual([[], [], []]);
  vi.unstubAllGlobals();
});
