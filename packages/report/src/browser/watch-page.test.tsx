import { beforeAll, beforeEach, expect, it, vi } from 'vitest';

import { watchPage } from './watch-page.ts';

const onNavigation = vi.fn<(to: string, by: string) => void>();
const tree = (page: string) => ({
  __NA: true,
  __PRIVATE_NEXTJS_INTERNALS_TREE: { tree: ['', { children: [page, {}] }] },
});

/** As a browser does it, and as happy-dom does not: the address changes, then the window is told. */
function step(to: string): void {
  History.prototype.replaceState.call(history, null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
}

beforeAll(() => {
  history.replaceState(null, '', '/list');
  watchPage({ onNavigation, onConsoleError: () => undefined });
});

beforeEach(() => {
  history.replaceState(tree('list'), '', '/list');
  onNavigation.mockClear();
});

const told = () => onNavigation.mock.calls.map(([to, by]) => [to.replace(location.origin, ''), by]);

it('tells a page with another value in its query, and nothing of a fragment', () => {
  history.pushState(null, '', '/list?page=1');
  history.pushState(null, '', '/list?page=2');
  history.replaceState(null, '', '/list?page=2#low');
  expect(told()).toEqual([
    ['/list?page=1', 'router'],
    ['/list?page=2', 'router'],
  ]);
});

it('tells a step once, and takes what comes after it for no step', () => {
  step('/list?page=1');
  step('/list?page=1#low');
  history.pushState(null, '', '/other');
  expect(told()).toEqual([
    ['/list?page=1', 'step'],
    ['/other', 'router'],
  ]);
});

it('takes the address that a router writes while it is told of a step for a part of it', () => {
  const write = () => history.replaceState(null, '', '/rewritten');
  addEventListener('popstate', write, { capture: true, once: true });
  step('/list?page=1');
  expect(told()).toEqual([['/rewritten', 'step']]);
});

it('tells an address that the app writes by itself, of which Next.js shows no page', () => {
  history.pushState(tree('list'), '', '/list?n=4');
  history.pushState(tree('next'), '', '/next');
  expect(told()).toEqual([
    ['/list?n=4', 'app'],
    ['/next', 'router'],
  ]);
});
