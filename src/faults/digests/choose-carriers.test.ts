import { expect, it } from 'vitest';

import { chooseCarriers } from './choose-carriers.ts';

const flight = (build: string, startedAt: number, ...digests: string[]) => ({ build, startedAt, digests });
const holder = (fault: string, release: string, time: number, digest = '7') => ({ fault, release, time, digest });

it('gives each of two faults with one digest the flights of its build', () => {
  const [first, second, third] = [flight('a', 100, '7'), flight('b', 110, '7'), flight('b', 5_000, '7')];
  const holders = [holder('one', 'a', 101), holder('two', 'b', 111), holder('two', 'b', 5_001)];
  expect(chooseCarriers('one', [first, second, third], holders)).toEqual([first]);
  expect(chooseCarriers('two', [first, second, third], holders)).toEqual([second, third]);
});

it('goes by the time where no error names the build, and keeps a flight that no other fault claims', () => {
  const [early, late, other] = [flight('', 100, '7'), flight('c', 9_000, '7'), flight('c', 9_000, '8')];
  const holders = [holder('one', 'v1', 90), holder('two', 'v2', 9_100)];
  expect(chooseCarriers('one', [early, late, other], holders)).toEqual([early, other]);
  expect(chooseCarriers('two', [early, late], holders)).toEqual([late]);
});

it('gives a flight that carried several digests to the fault of each', () => {
  const both = flight('a', 100, '6', '7');
  const holders = [holder('one', 'a', 100, '7'), holder('two', 'a', 300, '6')];
  expect(chooseCarriers('one', [both], holders)).toEqual([both]);
  expect(chooseCarriers('two', [both], holders)).toEqual([both]);
  expect(chooseCarriers('three', [both], holders)).toEqual([]);
});
