import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ErrorHelp } from './error-help.tsx';
import { LateHelp } from './late-parts.tsx';

const contact = { name: '', address: '', href: '' };
const known = { digest: '3F7K2M9QRT', time: 0, zone: 'UTC', path: '/cart', contact, isOperator: false };

beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function hasField(takesFeedback: boolean): boolean {
  return renderToStaticMarkup(<ErrorHelp {...known} takesFeedback={takesFeedback} />).includes('<textarea');
}

it('has a field for what the visitor was doing', () => {
  expect(hasField(false)).toBe(true);
  vi.stubEnv('FLIGHT_INSIDE', 'mounted');
  expect(hasField(false)).toBe(true);
});

it('has it in an app without an interface where a recorder elsewhere takes it', () => {
  vi.stubEnv('FLIGHT_INSIDE', 'alone');
  expect([hasField(true), hasField(false)]).toEqual([true, false]);
});

it.each([true, false])('asks the app whether there is such a recorder: %s', async (takesFeedback) => {
  vi.stubEnv('FLIGHT_INSIDE', 'alone');
  vi.stubGlobal('fetch', async () => Response.json({ isOperator: false, contact, takesFeedback }));
  const container = document.createElement('div');
  const root = createRoot(container);
  await act(async () => root.render(<LateHelp digest={known.digest} />));
  await act(async () => new Promise((resolve) => setImmediate(resolve)));
  expect(container.querySelector('textarea') !== null).toBe(takesFeedback);
  act(() => root.unmount());
});
