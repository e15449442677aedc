import { describe, expect, it } from 'vitest';

import { listAddresses } from './find-maps.ts';

describe('listAddresses', () => {
  it.each([
    ['https://shop.example/app/a.js?v=1#x', ['~/app/a.js', '~/a.js']],
    ['/srv/dist/a.js', ['~/srv/dist/a.js', '~/dist/a.js', '~/a.js']],
    ['app:///dist/a.js', ['~/dist/a.js', '~/a.js']],
    ['file:///srv/a.js', ['~/srv/a.js', '~/a.js']],
    ['C:\\srv\\a.js', ['~/C:/srv/a.js', '~/srv/a.js', '~/a.js']],
    ['a.js', ['~/a.js']],
    ['/srv/node_modules/react/index.js', []],
    ['node:internal/process', []],
    [`/${'x'.repeat(1_000)}.js`, []],
  ])('knows how uploads may name %s', (file, addresses) => expect(listAddresses(file)).toEqual(addresses));

  it('looks for eight ends of a long path, and for the whole', () => {
    const parts = Array.from({ length: 30 }, (_, at) => `p${at}`);
    const addresses = listAddresses(`/${parts.join('/')}`);
    expect(addresses).toHaveLength(9);
    expect(addresses[0]).toBe(`~/${parts.join('/')}`);
    expect(addresses.at(-1)).toBe('~/p29');
  });
});
