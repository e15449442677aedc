import { afterEach, beforeEach, expect, vi } from 'vitest';

import { keepNoSettings } from '#src/server/environment/read-setting.ts';

keepNoSettings();

/** A test fails when the code writes a console error. A test that expects one mocks the method itself. */
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
