import { expect, it, vi } from 'vitest';

import { toQuietOptions } from './quiet-root.ts';

type Options = import('react-dom/client').RootOptions;

const info = { componentStack: 'in Page' };

it("calls the root's own handlers, and leaves its other options", () => {
  const own = { onCaughtError: vi.fn(), onUncaughtError: vi.fn(), onRecoverableError: vi.fn(), identifierPrefix: 'a' };
  const options = toQuietOptions(own);
  options.onCaughtError('a', info);
  options.onRecoverableError('c', info);
  expect(own.onCaughtError).toHaveBeenCalledExactlyOnceWith('a', info);
  expect(own.onRecoverableError).toHaveBeenCalledExactlyOnceWith('c', info);
  expect([options.onUncaughtError, options.identifierPrefix]).toEqual([own.onUncaughtError, 'a']);
});

it('does what React does where the root has none', () => {
  const told = vi.fn();
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.stubGlobal('reportError', told);
  const options = toQuietOptions<Options>({});
  options.onRecoverableError?.('c', info);
  expect(told.mock.calls).toEqual([['c']]);
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
  const told = vi.fn();
  vi.stubGlobal('reportError', told);
  const error = Object.assign(new Error('Minified React error #419'), { digest: '3F7K2M9QRT' });
  const own = { onRecoverableError: vi.fn() };
  toQuietOptions(own).onRecoverableError(error, info);
  toQuietOptions<Options>({}).onRecoverableError?.(error, info);
  expect([own.onRecoverableError.mock.calls, told.mock.calls]).toEqual([[], []]);
  vi.unstubAllGlobals();
});
