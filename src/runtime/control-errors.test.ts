import { describe, expect, it } from 'vitest';
import { unstable_createCustomError as createCustomError } from 'waku/minimal/server';

import { isNotFound, readControl, readRedirect } from './control-errors.ts';

const redirect = createCustomError('Redirect', { status: 307, location: '/elsewhere' });
const redirectWithoutStatus = createCustomError('Redirect', { location: '/elsewhere' });
const notFound = createCustomError('Not Found', { status: 404 });
const forbidden = createCustomError('Forbidden', { status: 403 });
const movedAndGone = createCustomError('Redirect', { status: 404, location: '/elsewhere' });

describe('what Waku throws', () => {
  it.each([redirect, redirectWithoutStatus, notFound, forbidden])('is recognised: %s', (error) => {
    expect(readControl(error)).not.toBeNull();
  });

  it('is a redirect where it names a location', () => {
    expect(readRedirect(redirect, 303)).toEqual({ status: 307, location: '/elsewhere' });
    expect(readRedirect(redirectWithoutStatus, 303)).toEqual({ status: 303, location: '/elsewhere' });
    for (const other of [notFound, forbidden]) expect(readRedirect(other, 303)).toBeUndefined();
  });

  it('is a page that is not found by its status, and without a location', () => {
    expect([redirect, notFound, forbidden, movedAndGone].map(isNotFound)).toEqual([false, true, false, false]);
  });
});

it.each([
  new Error('boom'),
  Object.assign(new Error('boom'), { digest: '3F7K2M9QRT' }),
  Object.assign(new Error('boom'), { digest: '__WAKU_CUSTOM_ERROR__;{"status":"404"}' }),
  Object.assign(new Error('boom'), { digest: '__WAKU_CUSTOM_ERROR__;{' }),
  'text',
  undefined,
])('nothing else is: %j', (error) => {
  expect(readControl(error)).toBeNull();
  expect(isNotFound(error)).toBe(false);
  expect(readRedirect(error, 303)).toBeUndefined();
});
