import { runInNewContext } from 'node:vm';

import { afterEach, expect, test } from 'vitest';

import { formStateScript, takeFormState } from './form-state.ts';

afterEach(() => {
  globalThis.__FLIGHT_FORM_STATE__ = undefined;
});

function runScript(script: string): void {
  const page: { __FLIGHT_FORM_STATE__?: string } = {};
  runInNewContext(script, { globalThis: page });
  globalThis.__FLIGHT_FORM_STATE__ = page.__FLIGHT_FORM_STATE__;
}

test('a state goes through the page unchanged, hostile text included', () => {
  const state = [{ text: '</script><!--<script>\u2028"\'\\`${x}', ['__proto__']: { admin: true } }, 'key', 'a#b', 1];
  const script = formStateScript(state);
  expect(script).not.toContain('<');
  runScript(script);
  const { formState } = takeFormState();
  expect(formState).toEqual(state);
  expect(JSON.stringify(formState)).toBe(JSON.stringify(state));
});

test('it is taken once', () => {
  runScript(formStateScript(['state', 'key', 'a#b', 0]));
  expect(takeFormState()).toHaveProperty('formState');
  expect(takeFormState()).toEqual({});
});

test('a page without one says nothing of it', () => {
  expect(formStateScript(undefined)).toBe('');
  expect(formStateScript(null)).toBe('');
  expect(takeFormState()).toEqual({});
});
