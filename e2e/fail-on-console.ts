import { afterEach, beforeEach, expect, vi } from 'vitest';

import { keepNoSettings } from '#src/environment/read-setting.ts';

keepNoSettings();

/** A test that makes the code complain is not a passing test. One that expects it mocks the method itself. */
beforeEach(() => {
  vi.spyOn(console, 'error');
  vi.spyOn(console, 'warn');
});

afterEach(() => {
  for (const method of ['error', 'warn'] as const) {
    const spy = vi.mocked(console[method]);
    if (!vi.isMockFunction(spy)) continue;
    const calls = spy.mock.calls.slice();
    spy.mockRestore();
    expect(calls, `console.${method} was called`).toEqual([]);
  }
});
