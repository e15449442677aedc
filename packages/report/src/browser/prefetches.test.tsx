import { afterEach, beforeEach, describe, expect, it, vi, onTestFinished } from 'vitest';

import { readNamedFlight, watchPrefetches, type PrefetchWatch } from './prefetches.ts';

/** happy-dom makes none. */
class ResourceTiming {
  readonly entryType = 'resource';
}

let watch: PrefetchWatch;
/** `<used>;<unused>;<clicks>` of each beacon; links apart. */
let told: string[];
let links: unknown[];
let tellEntries: (entries: readonly PerformanceEntry[]) => void;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  links = [];
  vi.stubGlobal('navigator', {
    sendBeacon(_: string, text: string) {
      const { used, unused, clicks, links: more } = JSON.parse(text);
      links.push(...more);
      if (used.length + unused.length + clicks.length > 0) told.push([used, unused, clicks].map(String).join(';'));
      return true;
    },
  });
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      constructor(listener: (list: { getEntries: () => readonly PerformanceEntry[] }) => void) {
        tellEntries = (entries) => listener({ getEntries: () => entries });
      }
      observe() {}
    },
  );
  document.body.innerHTML = '';
  history.replaceState(null, '', '/');
  watch = watchPrefetches('/_fr/used');
});

afterEach(() => {
  // What is left belongs to this test.
  dispatchEvent(new Event('pagehide'));
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function toId(name: string): string {
  return Buffer.from(name).toString('hex').padEnd(32, '0');
}

/** A tree of Next.js 16 with these marks at its page. */
function tree(...marks: unknown[]): string {
  return encodeURIComponent(JSON.stringify(['', { children: ['page', {}, null, ...marks] }, null, null, 0]));
}

async function ask(address: string, name: string, headers: Record<string, string>, priority?: string): Promise<void> {
  const timing = { 'server-timing': `app;dur=1, flight;desc="${toId(name)}"` };
  const asked = { headers: new Headers({ rsc: '1', ...headers }), priority };
  watch.onFetch(address, asked, Promise.resolve(new Response('', { headers: timing })));
  await vi.advanceTimersByTimeAsync(0);
}

const whole = { 'next-router-prefetch': '1' };
const segment = { 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/page' };

function go(to: string, by: 'router' | 'step' | 'app' = 'router'): void {
  history.pushState(null, '', to);
  watch.onNavigation(location.href, by);
}

async function readTold(): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(3_000);
  return told;
}

it('tells the newest prefetch of each kind that a click shows, once, and those that were replaced', async () => {
  await ask('/a?_rsc=1', 'old', whole);
  await ask('/a?_rsc=2', 'new', whole);
  await ask('/a?_rsc=3', 'segment', segment);
  await ask('/b?_rsc=3', 'other', whole);
  go('/a');
  go('/');
  go('/a');
  expect(await readTold()).toEqual([`${toId('new')},${toId('segment')};${toId('old')};`]);
  dispatchEvent(new Event('pagehide'));
  expect(told.slice(1)).toEqual([`;${toId('other')};`]);
});

it('counts a click that asks for the rest of what it has, and none that asks for all of it', async () => {
  await ask('/a', 'a', whole);
  await ask('/b', 'b', whole);
  await ask('/a', 'rest', { 'next-router-state-tree': tree('refetch', 0) });
  go('/a');
  await ask('/b', 'all', { 'next-router-state-tree': tree(null, 0) });
  go('/b');
  expect(await readTold()).toEqual([`${toId('a')};;`]);
});

it('counts what was there when the click asked, and not what was asked for ahead after it', async () => {
  const click = { 'next-router-state-tree': tree('refetch', 0) };
  await ask('/a', 'first', segment, 'low');
  await ask('/a', 'rest', click, 'auto');
  await ask('/a', 'late', segment, 'low');
  go('/a');
  expect(await readTold()).toEqual([`${toId('first')};;${toId('rest')}`]);
  go('/');
  go('/a');
  expect(await readTold()).toEqual([`${toId('first')};;${toId('rest')}`, `${toId('late')};;`]);
});

it('counts a click that asks for the rest in another slot, as where a page is intercepted', async () => {
  await ask('/a', 'a', whole);
  const modal = ['(.)a', { children: ['__PAGE__', {}, null, 'refetch', 0] }, null, null, 0];
  const intercepted = ['', { children: ['__PAGE__', {}, null, null, 0], modal }, null, null, 0];
  await ask('/a', 'rest', { 'next-router-state-tree': encodeURIComponent(JSON.stringify(intercepted)) });
  go('/a');
  expect(await readTold()).toEqual([`${toId('a')};;`]);
});

describe('two links to one page, one of them by a redirect', () => {
  async function askBoth(): Promise<void> {
    document.body.innerHTML = '<a href="/new">New</a><a href="/old">Old</a>';
    await ask('/new', 'direct', segment);
    const answer = new Response('', { headers: { 'server-timing': `flight;desc="${toId('redirected')}"` } });
    vi.spyOn(answer, 'redirected', 'get').mockReturnValue(true);
    vi.spyOn(answer, 'url', 'get').mockReturnValue(new URL('/new?_rsc=1', location.href).href);
    const headers = new Headers({ rsc: '1', ...segment });
    watch.onFetch('/old?_rsc=1', { headers, priority: 'low' }, Promise.resolve(answer));
    await vi.advanceTimersByTimeAsync(0);
  }

  it.each([
    ['a[href="/new"]', `${toId('direct')};;`, `;${toId('redirected')};`],
    ['a[href="/old"]', `${toId('redirected')};;`, `;${toId('direct')};`],
  ])('the one that was clicked is used: %s', async (link, used, unused) => {
    await askBoth();
    document.querySelector(link)?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    go('/new');
    expect(await readTold()).toEqual([used]);
    dispatchEvent(new Event('pagehide'));
    expect(told.slice(1)).toEqual([unused]);
  });

  it('nothing is told of either where nobody clicked a link', async () => {
    document.body.innerHTML = '<a href="/elsewhere">Elsewhere</a>';
    document.querySelector('a')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    await askBoth();
    go('/new');
    expect(await readTold()).toEqual([]);
  });
});

it('keeps the page that was asked for ahead beside what came later for a slot of it', async () => {
  const slot = ['(slot)', { children: ['__PAGE__', {}, null, 'refetch'] }];
  const ofSlot = encodeURIComponent(JSON.stringify(['', { children: ['page', {}], modal: slot }]));
  await ask('/a', 'page', { 'next-router-state-tree': tree('refetch') }, 'low');
  await ask('/a', 'slot', { 'next-router-state-tree': ofSlot }, 'low');
  go('/a');
  expect(await readTold()).toEqual([`${toId('page')},${toId('slot')};;`]);
});

it('leaves unknown what became of a prefetch where a click asks for another query of its page', async () => {
  go('/search?q=red');
  await ask('/search?q=blue', 'blue', whole);
  await ask('/search?q=blue', 'all', { 'next-router-state-tree': tree(null, 0) });
  go('/search?q=blue');
  expect(await readTold()).toEqual([]);
  dispatchEvent(new Event('pagehide'));
  expect(told).toEqual([]);
});

it('counts a prefetch that was redirected for the page to which it was', async () => {
  const answer = new Response('', { headers: { 'server-timing': `flight;desc="${toId('a')}"` } });
  vi.spyOn(answer, 'redirected', 'get').mockReturnValue(true);
  vi.spyOn(answer, 'url', 'get').mockReturnValue(new URL('/new?_rsc=1', location.href).href);
  const headers = new Headers({ rsc: '1', ...segment });
  watch.onFetch('/old?_rsc=1', { headers, priority: 'low' }, Promise.resolve(answer));
  await vi.advanceTimersByTimeAsync(0);
  go('/new');
  expect(await readTold()).toEqual([`${toId('a')};;`]);
});

it('knows by its priority what was asked for ahead, which has no header of a prefetch', async () => {
  await ask('/a', 'a', { 'next-router-state-tree': tree(null) }, 'low');
  go('/a');
  expect(await readTold()).toEqual([`${toId('a')};;`]);
});

it('tells clicks, which the proxy may not tell from that, but none of Next.js 14, which says no priority', async () => {
  await ask('/a', 'a', { 'next-router-state-tree': tree(null) }, 'high');
  await ask('/b', 'b', { 'next-router-state-tree': tree('refetch') }, 'auto');
  await ask('/c', 'c', { 'next-router-state-tree': tree(null) });
  expect(await readTold()).toEqual([`;;${toId('a')},${toId('b')}`]);
});

it('takes a step back for no use, and an answer after five minutes for none either', async () => {
  await ask('/a', 'a', whole);
  go('/a', 'step');
  go('/');
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 300_000);
  go('/a');
  vi.restoreAllMocks();
  expect(await readTold()).toEqual([]);
});

it('tells pages with other values in their query apart', async () => {
  await ask('/a?id=1&_rsc=x', 'one', whole);
  await ask('/a?id=2&_rsc=x', 'two', whole);
  go('/a?id=2');
  expect(await readTold()).toEqual([`${toId('two')};;`]);
});

it('leaves it unknown where the app has written the address itself', async () => {
  await ask('/a', 'a', whole);
  go('/a', 'app');
  dispatchEvent(new Event('pagehide'));
  expect(await readTold()).toEqual([]);
});

describe('an action that leads to another page', () => {
  async function act(version: string | undefined): Promise<void> {
    vi.stubGlobal('next', version && { version });
    onTestFinished(() => void vi.unstubAllGlobals());
    await ask('/done', 'done', whole);
    const answer = Promise.resolve(new Response('', { headers: { 'x-action-redirect': '/done;push' } }));
    const asked = { headers: new Headers({ 'next-action': '1' }), priority: undefined };
    watch.onFetch('/form', asked, answer);
    await vi.advanceTimersByTimeAsync(0);
    go('/done');
    dispatchEvent(new Event('pagehide'));
  }

  it.each([
    ['16.4.6', 'shows the frame that was prefetched', () => [`${toId('done')};;`]],
    ['15.5.29', 'shows what the action answered', () => [`;${toId('done')};`]],
    [undefined, 'is of a version that is not known', () => []],
  ])('of Next.js %s %s', async (version, _, expected) => {
    await act(version);
    expect(await readTold()).toEqual(expected());
  });
});

describe('Waku', () => {
  const none = { 'x-waku-etags': '{}' };
  const some = { 'x-waku-etags': '{"root":1}' };

  async function askWaku(address: string, name: string, headers: Record<string, string>): Promise<void> {
    const timing = { 'server-timing': `flight;desc="${toId(name)}"` };
    const answer = Promise.resolve(new Response('', { headers: timing }));
    watch.onFetch(address, { headers: new Headers(headers), priority: undefined }, answer);
    await vi.advanceTimersByTimeAsync(0);
  }

  it.each([
    ['/RSC/R/shop/a.txt?query=', '/shop/a'],
    ['/base/RSC/R/_root.txt?query=', '/'],
    ['/RSC/R/__a_.txt', '/_a'],
    ['/RSC/R/list.txt?query=page%3D2', '/list?page=2'],
  ])('has the page of %s', async (address, page) => {
    history.replaceState(null, '', '/from');
    await askWaku(address, 'a', none);
    go(page);
    expect(await readTold()).toEqual([`${toId('a')};;`]);
  });

  it('shows what it prefetched without a request, and what it asks for from the server', async () => {
    await askWaku('/RSC/R/a.txt?query=', 'a', none);
    await askWaku('/RSC/R/b.txt?query=', 'b', none);
    go('/a');
    await askWaku('/RSC/R/b.txt?query=', 'again', some);
    go('/b');
    // A slice, and an action.
    await askWaku('/RSC/S/clock.txt', 'slice', none);
    dispatchEvent(new Event('pagehide'));
    expect(told).toEqual([`${toId('a')};${toId('b')};`]);
  });

  it('shows what is still on its way when it is clicked', async () => {
    const answer = Promise.withResolvers<Response>();
    watch.onFetch('/RSC/R/a.txt?query=', { headers: new Headers(none), priority: undefined }, answer.promise);
    go('/a');
    answer.resolve(new Response('', { headers: { 'server-timing': `flight;desc="${toId('a')}"` } }));
    expect(await readTold()).toEqual([`${toId('a')};;`]);
  });
});

describe('what the browser itself fetches ahead, for React Router', () => {
  function entry(name: string, initiatorType: string, address: string): PerformanceEntry {
    const timing = new PerformanceResourceTiming();
    return Object.defineProperties(timing, {
      name: { value: new URL(address, location.href).href },
      initiatorType: { value: initiatorType },
      startTime: { value: performance.now() },
      serverTiming: { value: [{ name: 'flight', description: toId(name) }] },
    });
  }

  beforeEach(() => vi.stubGlobal('PerformanceResourceTiming', ResourceTiming));

  it('is used where a request got the same answer, and not where the server answered anew', async () => {
    tellEntries([entry('a', 'link', '/a.rsc'), entry('b', 'link', '/b.rsc'), entry('file', 'script', '/x.js')]);
    tellEntries([entry('a', 'fetch', '/a.rsc'), entry('new', 'fetch', '/b.rsc')]);
    go('/a');
    go('/b');
    expect(await readTold()).toEqual([`${toId('a')};;`]);
    dispatchEvent(new Event('pagehide'));
    expect(told.slice(1)).toEqual([`;${toId('b')};`]);
  });

  it('is for the link of its page', async () => {
    document.body.innerHTML = '<a href="/">Home</a><a href="/b/">Socks</a>';
    tellEntries([entry('home', 'link', '/_root.rsc'), entry('b', 'link', '/b.rsc')]);
    await readTold();
    expect(links.map((link) => (Array.isArray(link) ? link.slice(0, 3) : []))).toEqual([
      [toId('home'), 'viewport', 'Home'],
      [toId('b'), 'viewport', 'Socks'],
    ]);
  });
});

describe('the link of a prefetch', () => {
  it('is told with its text, its place, and what somebody did with it; else whether it is in view', async () => {
    document.body.innerHTML = `<nav id="main"><a href="/a"> Warm
      socks </a><a href="/b" aria-label="Shoes">x</a><a href="${location.origin}/c">Hats</a></nav>`;
    const [a, b, c] = document.querySelectorAll('a');
    b?.dispatchEvent(new Event('focusin', { bubbles: true }));
    await ask('/b', 'b', whole);
    a?.firstChild?.parentElement?.dispatchEvent(new Event('pointerover', { bubbles: true }));
    await ask('/a', 'a', whole);
    vi.spyOn(c ?? document.body, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, innerHeight + 900, 10, 10));
    await ask('/c', 'c', segment);
    await ask('/d', 'd', whole);
    await readTold();
    const at = 'nav[id="main"]:nth-child(1)';
    expect(links).toEqual([
      [toId('b'), 'focus', 'Shoes', expect.stringContaining(`${at} > a[aria-label="Shoes"]:nth-child(2)`)],
      [toId('a'), 'hover', 'Warm socks', expect.stringContaining(`${at} > a:nth-child(1)`)],
      [toId('c'), 'render', 'Hats', expect.stringContaining(`${at} > a:nth-child(3)`)],
    ]);
  });
});

it('a link is told as one of several, where others lead to the same page and nobody pointed at one', async () => {
  document.body.innerHTML = '<nav><a href="/d">Shoes</a></nav><a href="/d#reviews">Reviews</a>';
  await ask('/d', 'd', whole);
  await readTold();
  expect(links).toEqual([[toId('d'), 'viewport', 'Shoes', expect.stringMatching(/^one of 2: .+ > a:nth-child\(1\)$/)]]);
});

it('a link to a place in the page is one, too', async () => {
  document.body.innerHTML = '<a href="/d#reviews">Reviews</a>';
  await ask('/d', 'd', whole);
  await readTold();
  expect(links).toEqual([[toId('d'), 'viewport', 'Reviews', expect.any(String)]]);
});

it.each([
  [null, undefined],
  ['flight;desc="short"', undefined],
  [`app;dur=1, flight;desc="${'a'.repeat(32)}"`, 'a'.repeat(32)],
  [`flight;desc=${'a'.repeat(32)}`, 'a'.repeat(32)],
])('reads the id in %j', (header, expected) => {
  expect(readNamedFlight(header)).toBe(expected);
});
