import { expect, it } from 'vitest';

import { sdkEnvelopePath, sdkStorePath } from './addresses.ts';
import { readSdkPath } from './sdk-path.ts';

it.each([
  [sdkEnvelopePath('2'), { project: '2', format: 'envelope' }],
  ['/api/2/envelope', { project: '2', format: 'envelope' }],
  [sdkStorePath('my-shop'), { project: 'my-shop', format: 'store' }],
  ['/api/my-shop/store', { project: 'my-shop', format: 'store' }],
  ['/behind/a/proxy/api/2/envelope/', { project: '2', format: 'envelope' }],
])('%s is where an SDK sends', (path, expected) => {
  expect(readSdkPath(path)).toEqual(expected);
});

it.each([
  '/api/2/envelope//',
  '/api/2/',
  '/api//envelope/',
  '/api/../envelope/',
  '/api/2/3/envelope/',
  '/api/A/envelope/',
  '/api/2/envelope/x',
  '/xapi/2/envelope/',
  '/api/2/minidump/',
  '/api/2/errors',
  '/envelope',
  '/',
  '',
])('%s is none', (path) => {
  expect(readSdkPath(path)).toBeUndefined();
});
