import { expect, it } from 'vitest';

import { proxyOptions } from './options.ts';
import { readBrowserPlan } from './page-script.ts';
import { readOptions } from './read-options.ts';

function read(...args: string[]) {
  return readBrowserPlan(readOptions(proxyOptions, args).values);
}

it('adds nothing to pages unless it is asked to', () => {
  expect(read('--to', 'http://a')).toBeUndefined();
  expect(read('--browser')).toEqual({ path: '/_fr', sample: 1, respectsPrivacySignal: false });
  expect(read('--browser', '--browser-path', '/a/_notes', '--browser-sample=0.25', '--browser-gpc')).toEqual({
    path: '/a/_notes',
    sample: 0.25,
    respectsPrivacySignal: true,
  });
});

it.each([
  [['--browser-gpc'], '--browser-gpc means nothing without --browser'],
  [['--browser=yes'], '--browser takes no value'],
  [['--browser', '--browser-path', '/'], '--browser-path is a path like /_fr'],
  [['--browser', '--browser-path', '/"><b'], '--browser-path is a path like /_fr'],
  [['--browser', '--browser-sample', '2'], '--browser-sample is a number from 0 to 1'],
])('%j is called wrongly', (args, line) => {
  expect(() => read(...args)).toThrow(line);
});
