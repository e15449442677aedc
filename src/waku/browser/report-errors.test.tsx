import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createRefusedError } from '#src/runtime/actions/action-errors.ts';
import { describeShown } from '#src/runtime/errors/browser-digest.ts';
import type { ReportedPage } from '#report/browser/report-page.ts';

import { startReports } from './report-errors.ts';

const { pages, reportPage } = vi.hoisted(() => {
  const started: ReportedPage[] = [];
  return { pages: started, reportPage: (page: ReportedPage) => void started.push(page) };
});
vi.mock('#report/browser/report-page.ts', () => ({ reportPage, isReported: () => pages.length > 0 }));

beforeEach(() => {
  // happy-dom has none.
  vi.stubGlobal('PerformanceNavigationTiming', Event);
  startReports();
});

afterEach(() => vi.unstubAllGlobals());

function readRules() {
  const rules = pages[0]?.rules;
  if (!rules) throw new Error('There are no rules');
  return rules;
}

it('begins once, and sends to the page’s own origin', () => {
  startReports();
  expect(pages).toEqual([expect.objectContaining({ address: '/tunnel', remembers: true })]);
  expect(pages[0]?.toldAddress).toBeUndefined();
});

it('expects a refused action, and what React says of an error that the server has recorded', () => {
  const { isExpected } = readRules();
  const recorded = Object.assign(new Error('Minified React error #419'), { digest: '3F7K2M9QRT' });
  expect([
    isExpected(createRefusedError({ code: 'overloaded' }), 'promise'),
    isExpected(recorded, 'recoverable'),
    isExpected(recorded, 'caught'),
    isExpected(new Error('Minified React error #418'), 'recoverable'),
  ]).toEqual([true, true, false, false]);
});

it('reports an error under the digest that its page shows', () => {
  const { identify } = readRules();
  const error = new Error('x');
  expect(identify(error)).toEqual({ side: 'browser', digest: describeShown(error).digest });
  expect(identify(Object.assign(new Error('y'), { digest: '3F7K2M9QRT' }))).toEqual({
    side: 'server',
    digest: '3F7K2M9QRT',
  });
});
