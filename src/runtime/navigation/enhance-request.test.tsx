import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { noteCommit } from './current-navigation.ts';
import { enhanceRequest } from './enhance-request.ts';
import { readNavigationState } from './navigation-state.ts';
import { clearPrefetches, prefetch } from './prefetcher.ts';
import { connectRouter } from './router-connection.ts';

type RequestRsc = Parameters<typeof enhanceRequest>[0];
type Elements = Awaited<ReturnType<RequestRsc>>['elements'];

/** A server in place of the network: one answer per page, and the elements that Waku would decode from it. */
function createServer() {
  const sent: string[] = [];
  const answers = new Map<string, () => Promise<Response>>();
  let elements: Elements = {};
  const next: RequestRsc = async (rscPath, _params, { fetch }) => {
    const response = await fetch(`/RSC/${rscPath}.txt`);
    if (!response.ok) throw new Error(`answered ${response.status}`);
    await response.text();
    return { elements };
  };
  async function answer(input: RequestInfo | URL, init?: RequestInit) {
    const trigger = new Headers(init?.headers).get('x-flight-prefetch');
    sent.push(`${String(input)}${trigger === null ? '' : ` prefetch by ${trigger}`}`);
    return (await answers.get(String(input))?.()) ?? new Response('page', { headers: { 'x-flight-page': 'dynamic' } });
  }
  const send = enhanceRequest(next);
  return {
    sent,
    answers,
    decodeTo: (decoded: Elements) => void (elements = decoded),
    call: (id: string) => send(id, [], { type: 'call', fetch: answer }),
    navigate: (rscPath: string, signal = new AbortController().signal) =>
      send(rscPath, new URLSearchParams({ query: '' }), { type: 'rsc', fetch: answer, signal }),
    fetchRsc: async (rscPath: string, params?: unknown, options?: { signal?: AbortSignal }) => {
      const signal = options?.signal ? { signal: options.signal } : {};
      return (await send(rscPath, params, { type: 'rsc', fetch: answer, ...signal })).elements;
    },
  };
}

let server: ReturnType<typeof createServer>;
const isAtHand = vi.fn<() => boolean>();
const replace = vi.fn<() => Promise<void>>();

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  server = createServer();
  isAtHand.mockReturnValue(false);
  replace.mockResolvedValue();
  connectRouter({
    router: { push: replace, replace, reload: replace },
    fetchRsc: server.fetchRsc,
    route: { path: '/', query: '' },
    isFailed: false,
    isAtHand,
  });
});

afterEach(() => {
  noteCommit({});
  clearPrefetches();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function prefetchBoth() {
  server.answers.set('/RSC/R/static.txt', async () => new Response('page', { headers: { 'x-flight-page': 'static' } }));
  prefetch('/dynamic', 'hover');
  prefetch('/static', 'hover');
  await vi.waitFor(() => expect(readNavigationState().entries).toHaveLength(2));
  await vi.waitFor(() => expect(readNavigationState().running).toHaveLength(0));
}

function keptPages() {
  return readNavigationState().entries.map(({ href }) => href);
}

test('an action that re-rendered something takes dynamic pages, and leaves static ones', async () => {
  await prefetchBoth();
  server.decodeTo({ ROUTE: ['/', ''] });
  await server.call('F/save');
  expect(keptPages()).toEqual(['/static']);
});

test('so does one that failed: it may have changed something before', async () => {
  await prefetchBoth();
  server.answers.set('/RSC/F/save.txt', async () => new Response('', { status: 500 }));
  await expect(server.call('F/save')).rejects.toThrow();
  expect(keptPages()).toEqual(['/static']);
});

test('one that changed nothing leaves everything', async () => {
  await prefetchBoth();
  await server.call('F/read');
  expect(keptPages()).toHaveLength(2);
});

test('a navigation sends nothing for a page that was prefetched, and counts it', async () => {
  await prefetchBoth();
  const { hits } = readNavigationState().counts;
  await server.navigate('R/dynamic');
  expect(server.sent.filter((url) => url.startsWith('/RSC/R/dynamic'))).toEqual([
    '/RSC/R/dynamic.txt prefetch by hover',
  ]);
  expect(readNavigationState().counts.hits).toBe(hits + 1);
});

test('a navigation asks for itself when the prefetch it waits for is refused', async () => {
  const refusal = Promise.withResolvers<Response>();
  server.answers.set('/RSC/R/busy.txt', () => refusal.promise);
  prefetch('/busy', 'hover');
  await vi.waitFor(() => expect(server.sent).toEqual(['/RSC/R/busy.txt prefetch by hover']));
  const shown = server.navigate('R/busy');
  server.answers.delete('/RSC/R/busy.txt');
  refusal.resolve(new Response('', { status: 429 }));
  await shown;
  expect(server.sent).toEqual(['/RSC/R/busy.txt prefetch by hover', '/RSC/R/busy.txt']);
});

test('a navigation that is given up does not wait for its prefetch', async () => {
  server.answers.set('/RSC/R/never.txt', () => new Promise(() => {}));
  prefetch('/never', 'hover');
  await vi.waitFor(() => expect(server.sent).toHaveLength(1));
  const controller = new AbortController();
  const shown = server.navigate('R/never', controller.signal);
  controller.abort();
  await expect(shown).rejects.toThrow(/abort/i);
});

test('a prefetch that falls silent gives its place back after 30 s and leaves nothing', async () => {
  server.answers.set('/RSC/R/never.txt', () => new Promise(() => {}));
  prefetch('/never', 'hover');
  await vi.waitFor(() => expect(readNavigationState().running).toEqual(['/never']));
  await vi.advanceTimersByTimeAsync(29_000);
  expect(readNavigationState().running).toEqual(['/never']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(readNavigationState().running).toEqual([]);
  expect(keptPages()).toEqual([]);
});

test('the page that is shown, and one the router has at hand, are not prefetched', async () => {
  prefetch('/', 'hover');
  isAtHand.mockReturnValue(true);
  prefetch('/visited', 'hover');
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sent).toEqual([]);
});

test('no prefetch starts while a navigation is on its way', async () => {
  server.answers.set('/RSC/R/slow.txt', () => new Promise(() => {}));
  const controller = new AbortController();
  const shown = server.navigate('R/slow', controller.signal).catch(() => 'given up');
  prefetch('/other', 'hover');
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sent).toEqual(['/RSC/R/slow.txt']);
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(server.sent).toEqual(['/RSC/R/slow.txt', '/RSC/R/other.txt prefetch by hover']);
  void shown;
});

test('a navigation that waits for an action is not timed; it is when the action is done', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockReturnValue();
  const action = Promise.withResolvers<Response>();
  server.answers.set('/RSC/F/slow.txt', () => action.promise);
  const called = server.call('F/slow');
  server.decodeTo({ ROUTE: ['/next', ''] });
  await server.navigate('R/next');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(assign).not.toHaveBeenCalled();
  action.resolve(new Response(''));
  await called;
  await vi.advanceTimersByTimeAsync(3_799);
  expect(assign).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(assign).toHaveBeenCalledOnce();
});

test('a navigation is over when its own page is committed, and not by another commit', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockReturnValue();
  const elements = { ROUTE: ['/next', ''] };
  server.decodeTo(elements);
  await server.navigate('R/next');
  noteCommit({ ROUTE: ['/', ''] });
  await vi.advanceTimersByTimeAsync(3_000);
  noteCommit({ ...elements, root: 'kept' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(assign).not.toHaveBeenCalled();
  await server.navigate('R/next');
  noteCommit({ ROUTE: ['/', ''] });
  await vi.advanceTimersByTimeAsync(3_800);
  expect(assign).toHaveBeenCalledOnce();
});

test('a navigation that was answered and then given up is not timed', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockReturnValue();
  server.decodeTo({ ROUTE: ['/next', ''] });
  const controller = new AbortController();
  await server.navigate('R/next', controller.signal);
  controller.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(assign).not.toHaveBeenCalled();
});

test('a server on the same machine answers, whatever the browser says of its connection', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await expect(server.navigate('R/next')).resolves.toEqual({ elements: {} });
});
