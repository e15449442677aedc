import { expect, test, vi } from 'vitest';

import { createRefusedError } from '../actions/action-errors.ts';
import { startReporting } from './browser-reporting.ts';

const { captured } = vi.hoisted(() => ({ captured: new Array<unknown>() }));
vi.mock('./browser-sdk.ts', () => ({
  startBrowserSdk: () => ({ capture: ({ error }: { error: unknown }) => void captured.push(error) }),
}));

test('a refused action is no error, also where nobody caught it', async () => {
  startReporting();
  const broken = new Error('broken');
  for (const reason of [createRefusedError({ code: 'not-signed-in' }), broken]) {
    dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }));
  }
  await vi.waitFor(() => expect(captured).toContain(broken));
  expect(captured).toEqual([broken]);
});
