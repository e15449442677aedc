import { describe, expect, test } from 'vitest';

import { formatSources, parseSources } from '../recorder/reference-sources.ts';
import { nameSource } from '../recorder/vite.ts';
import { nameAction, readSources } from './sources.ts';

describe('names of sources', () => {
  test.each([
    ['/home/a/app/src/lab/push-button.tsx', 'src/lab/push-button.tsx'],
    ['/home/a/app/src/lab/push-button.tsx?x', 'src/lab/push-button.tsx'],
    ['/home/a/app/node_modules/waku/dist/router/client.js', 'waku/dist/router/client.js'],
    ['/home/a/node_modules/.pnpm/b@1/node_modules/b/index.js', 'b/index.js'],
  ])('%s is %s', (id, name) => {
    expect(nameSource(id, '/home/a/app')).toBe(name);
  });

  test('of an action, with its export', () => {
    const sources = parseSources(formatSources(new Map([['abc', 'src/actions/save.ts']])));
    expect(nameAction(sources, 'abc#save')).toBe('src/actions/save.ts#save');
    expect(nameAction(sources, 'def#save')).toBeUndefined();
  });

  test.each(['null', '{"a":1}', '{'])('%s is no manifest', (text) => {
    expect(() => parseSources(text)).toThrow();
  });
});

test('nobody but the operator reads them', () => {
  expect(() => readSources()).toThrow('not signed in');
});
