import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { StartOptions } from './start.ts';

/** happy-dom has no such class. */
class RejectionEvent extends Event {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('unhandledrejection');
    this.reason = reason;
  }
}

/** Nor this one. */
class ViolationEvent extends Event {
  readonly effectiveDirective = 'script-src-elem';
  readonly disposition = 'enforce';
  readonly sourceFile = '';
  readonly blockedURI: string;
  constructor(blockedURI: string) {
    super('securitypolicyviolation');
    this.blockedURI = blockedURI;
  }
}

type Sent = { readonly address: string; readonly event: Record<string, unknown> };

let sent: Sent[];
let listeners: [string, EventListenerOrEventListenerObject][];

beforeEach(() => {
  sent = [];
  listeners = [];
  vi.resetModules();
  sessionStorage.clear();
  vi.stubGlobal('PromiseRejectionEvent', RejectionEvent);
  vi.stubGlobal('SecurityPolicyViolationEvent', ViolationEvent);
  vi.stubGlobal('PerformanceNavigationTiming', Event);
  // What is loaded with the page is another file's test.
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('loading');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.stubGlobal('fetch', async (address: string, { body }: { body: string }) => {
    sent.push({ address, event: JSON.parse(body.split('\n')[2] ?? '') });
    return new Response('{"id":"e"}');
  });
  const { addEventListener } = window;
  vi.spyOn(window, 'addEventListener').mockImplementation((type, listener, options) => {
    if (listener) listeners.push([type, listener]);
    addEventListener.call(window, type, listener, options);
  });
});

afterEach(() => {
  for (const [type, listener] of listeners) {
    removeEventListener(type, listener);
    removeEventListener(type, listener, true);
  }
  globalThis.__flightErrors = undefined;
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** As a new document. */
async function begin(options: StartOptions): Promise<void> {
  const { start } = await import('./index.ts');
  start(options);
}

async function readSent(count: number): Promise<readonly Sent[]> {
  // The first waits for modules, which takes its time on a busy machine.
  await vi.waitFor(() => expect(sent.length).toBe(count), 10_000);
  return sent;
}

function fail(error: unknown): void {
  dispatchEvent(new ErrorEvent('error', { error, message: String(error) }));
}

it('reports what nobody caught, once, to the path that the proxy answers', async () => {
  await begin({ to: '/_notes', release: 'v7' });
  const error = new TypeError('the cart is empty');
  fail(error);
  fail(error);
  dispatchEvent(new RejectionEvent(new RangeError('late')));
  const [first, second] = await readSent(2);
  expect(first).toMatchObject({
    address: '/_notes',
    event: {
      release: 'v7',
      tags: { side: 'browser', mechanism: 'window' },
      exception: [{ type: 'TypeError', value: 'the cart is empty' }],
      breadcrumbs: [{ category: 'document' }],
    },
  });
  expect(second?.event).toMatchObject({ tags: { mechanism: 'promise' }, exception: [{ value: 'late' }] });
});

it('finds the digest of an error that a boundary caught in what React writes to the console', async () => {
  await begin({});
  console.error('%o', Object.assign(new Error('An error occurred'), { digest: '2338734591@E394' }));
  const [report] = await readSent(1);
  expect(report).toMatchObject({
    address: '/_fr',
    event: { tags: { side: 'server', digest: '2338734591@E394', mechanism: 'console' } },
  });
});

it("reports no framework's control flow, and no loop of a ResizeObserver", async () => {
  await begin({});
  console.error(Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;replace;/login;307;' }));
  dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop completed with undelivered notifications.' }));
  fail(new Error('real'));
  expect((await readSent(1))[0]?.event).toMatchObject({ exception: [{ value: 'real' }] });
});

it('takes what a script at the beginning of the page has kept, and what comes after', async () => {
  const logged = Object.assign(new Error('logged'), { digest: '1' });
  const early: NonNullable<typeof globalThis.__flightErrors> = [
    new ErrorEvent('error', { error: new Error('early') }),
    { event: new ErrorEvent('error', { error: new Error('kept') }), records: [] },
    { args: ['%o', logged] },
  ];
  globalThis.__flightErrors = early;
  await begin({});
  // The page may have either of the two consoles.
  globalThis.__flightErrors?.push({ args: [logged] });
  globalThis.__flightErrors?.push(new ErrorEvent('error', { error: new Error('later') }));
  const values = (await readSent(4)).map(({ event }) => event['exception']);
  const expected = ['early', 'kept', 'logged', 'later'].map((value) => [{ value }]);
  expect(values).toMatchObject(expected);
});

it('reports what a policy blocks, five of a page at most, and not its own requests', async () => {
  await begin({});
  dispatchEvent(new ViolationEvent(new URL('/_fr', location.href).href));
  for (let n = 0; n < 8; n += 1) dispatchEvent(new ViolationEvent(`https://cdn.test/${n}.js?token=hunter2`));
  const values = (await readSent(5)).map(({ event }) => event['exception']);
  expect(values[4]).toMatchObject([
    { type: 'ContentSecurityPolicyViolation', value: 'script-src-elem blocks https://cdn.test/4.js?token' },
  ]);
});

it('begins once, also where the module is in the page twice', async () => {
  await begin({ to: '/first' });
  vi.resetModules();
  await begin({ to: '/second' });
  fail(new Error('one'));
  await readSent(1);
  expect(sent.map(({ address }) => address)).toEqual(['/first']);
});

it('has the component stack of what a boundary caught, from the root that React keeps', async () => {
  await begin({});
  const onCaughtError = vi.fn();
  const root = { onCaughtError };
  Object.assign(document.body, { __reactContainer$a1: { stateNode: root } });
  dispatchEvent(new Event('load'));
  const error = new Error('the list cannot be shown');
  root.onCaughtError(error, { componentStack: '\n    at List (/a.js:1:2)' });
  expect(onCaughtError).toHaveBeenCalledExactlyOnceWith(error, { componentStack: '\n    at List (/a.js:1:2)' });
  expect((await readSent(1))[0]?.event).toMatchObject({
    tags: { mechanism: 'caught' },
    contexts: { react: { componentStack: '\n    at List (/a.js:1:2)' } },
  });
});

it('is of the page that Waku was asked for, where React says it before the address changes', async () => {
  await begin({});
  const masked = () => new Error('Minified React error #441; visit https://react.dev/errors/441');
  const ask = (address: string, etags: string) =>
    window.fetch(address, { headers: { 'x-waku-etags': etags }, body: '\n\n{}' });
  const readUrls = async (count: number) =>
    (await readSent(count)).map(({ event }) => JSON.parse(JSON.stringify(event)).request?.url);
  // What is asked for ahead is not shown.
  await ask('/RSC/R/ahead.txt', '{}');
  console.error(masked());
  await ask('/RSC/R/same.txt', '{"root":"1"}');
  console.error(masked());
  console.error(new Error('of the page that is there'));
  history.pushState(null, '', '/same?a=1');
  console.error(masked());
  history.replaceState(null, '', '/');
  const sentUrls = (await readUrls(6)).filter((url) => url !== undefined);
  expect(sentUrls.map((url) => new URL(url).pathname)).toEqual(['/', '/same', '/', '/same']);
});

it('leaves out what React writes for the server in development', async () => {
  await begin({});
  const error = new Error('Caught and logged');
  console.error('%c%s%c %o', 'background: #e6e6e6', ' Server ', '', error);
  console.error('%o', Object.assign(new Error('shown'), { digest: '2338734591' }));
  expect((await readSent(1)).map(({ event }) => JSON.stringify(event).includes('shown'))).toEqual([true]);
});

it('tells an error of the server once where React tells of its boundary again', async () => {
  await begin({});
  const root = { onCaughtError: () => {}, onRecoverableError: () => {} };
  Object.assign(document.body, { __reactContainer$a1: { stateNode: root } });
  dispatchEvent(new Event('load'));
  const tell = (tellIt: (error: unknown, info: object) => void, code: number, digest: string) =>
    tellIt(Object.assign(new Error(`Minified React error #${code}`), { digest }), {});
  tell((...told) => Reflect.apply(root.onCaughtError, root, told), 441, '4012494930');
  tell((...told) => Reflect.apply(root.onRecoverableError, root, told), 419, '4012494930');
  tell((...told) => Reflect.apply(root.onRecoverableError, root, told), 419, '4012494931');
  tell((...told) => Reflect.apply(root.onCaughtError, root, told), 441, '4012494930');
  const told = await readSent(3);
  expect(told).toMatchObject([
    { event: { tags: { mechanism: 'caught', digest: '4012494930' } } },
    { event: { tags: { mechanism: 'recoverable', digest: '4012494931' } } },
    { event: { tags: { mechanism: 'caught', digest: '4012494930' } } },
  ]);
});

/** As React does it within one task: its own nodes in the place of the server's, then its error. */
function replaceAndFail(): void {
  const [server, browser] = [document.createElement('p'), document.createElement('p')];
  [server.textContent, browser.textContent] = ['10:41', '10:43'];
  document.body.append(server);
  queueMicrotask(() => {
    server.replaceWith(browser);
    fail(new Error('Minified React error #418; visit https://react.dev/errors/418?args[]=text&args[]='));
    browser.textContent = 'later';
  });
}

it('tells what differs where a page was hydrated as another one, and groups by the place', async () => {
  await begin({});
  replaceAndFail();
  const [report] = await readSent(1);
  expect(report?.event).toMatchObject({
    fingerprint: ['{{ default }}', 'body > p'],
    extra: { hydration: { kind: 'text', server: '10:41', browser: '10:43', cause: 'time' } },
  });
});

it('reports a mismatch once where React 18 says it with several errors, and the next one of its task', async () => {
  await begin({});
  const [server, browser] = [document.createElement('p'), document.createElement('p')];
  [server.textContent, browser.textContent] = ['10:41', '10:43'];
  document.body.append(server);
  queueMicrotask(() => {
    server.replaceWith(browser);
    for (const code of [425, 425, 418, 423]) fail(new Error(`Minified React error #${code}; visit https://react.dev`));
  });
  await readSent(2);
  fail(new Error('later'));
  const values = (await readSent(3)).map(({ event }) => event['exception']);
  expect(values).toEqual([
    [expect.objectContaining({ value: expect.stringContaining('#425') })],
    [expect.objectContaining({ value: expect.stringContaining('#425') })],
    [expect.objectContaining({ value: 'later' })],
  ]);
});

/** With another second part than the real one. */
async function beginWith(loadSecondPart: () => Promise<never>): Promise<void> {
  const { start } = await import('./start.ts');
  start({}, loadSecondPart);
}

it('sends it without where what finds it is gone', async () => {
  await beginWith(() => Promise.reject(new TypeError('gone')));
  replaceAndFail();
  const [report] = await readSent(1);
  expect(report?.event).toMatchObject({ exception: [{ value: expect.stringContaining('#418') }] });
  expect(report?.event).not.toHaveProperty('extra');
});

it('sends it without where the page ends before', async () => {
  const beacons: unknown[] = [];
  vi.stubGlobal('navigator', { sendBeacon: (_: string, text: string) => beacons.push(text) > 0 });
  await beginWith(() => new Promise(() => undefined));
  replaceAndFail();
  await Promise.resolve();
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  dispatchEvent(new Event('visibilitychange'));
  expect(beacons).toEqual([expect.stringContaining('error #418')]);
});

it("sends with the browser's key to a recorder elsewhere", async () => {
  await begin({ to: 'https://abc123@flight.example/shop' });
  fail(new Error('one'));
  const [{ address } = { address: '' }] = await readSent(1);
  expect(address).toBe('https://flight.example/api/shop/envelope/?sentry_version=7&sentry_key=abc123');
});

it.each(['flight.example', 'https://flight.example/shop'])('says at once that %s is no address', async (to) => {
  await expect(begin({ to })).rejects.toThrow('`to` is neither');
});

it('stores nothing without being asked', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no connection')));
  await begin({});
  fail(new Error('one'));
  expect(sessionStorage.length).toBe(0);
  expect(document.cookie).toBe('');
});

it.each([
  ['of a document outside the sample', { sample: 0 }, undefined],
  ['where the visitor does not want it and the app respects that', { respectPrivacySignal: true }, true],
])('reports nothing %s', async (_, options, signal) => {
  vi.stubGlobal('navigator', { globalPrivacyControl: signal });
  await begin(options);
  expect(listeners).toEqual([]);
  expect(globalThis.__flightErrors).toBeUndefined();
});

it.each([
  ['Next.js 16', '0:{"P":null,"c":[""],"d":"$undefined","b":"b16"}\n', 'b16'],
  ['Next.js 15', '0:{"P":null,"b":"b15","p":""}\n', 'b15'],
  ['Next.js 14', '0:["$","$L1",null,{"buildId":"b14","assetPrefix":""}]\n', 'b14'],
  ['Waku', '0:{"IS_STATIC":false,"_buildId":"w1"}\n', 'w1'],
  ['React Router', '0:{"type":"render","basename":"/","clientVersion":"r8"}\n', 'r8'],
  ['an app that says none', '0:{"b":"no build"}\n', undefined],
  ['development', '0:{"P":null,"b":"development","p":""}\n', undefined],
])('names the build that the page of %s says', async (_, row, build) => {
  await begin({});
  // The page comes after the module.
  const script = document.createElement('script');
  script.type = 'text/plain';
  script.text = `self.__next_f.push([1,${JSON.stringify(row)}])`;
  document.body.append(script);
  fail(new Error('late'));
  expect((await readSent(1))[0]?.event['release']).toBe(build);
  script.remove();
});

it('names the deployment of Next.js, and rather what the app calls itself', async () => {
  document.documentElement.dataset['dplId'] = 'dpl-7';
  await begin({});
  fail(new Error('one'));
  expect((await readSent(1))[0]?.event['release']).toBe('dpl-7');
  vi.resetModules();
  for (const [type, listener] of listeners.splice(0)) removeEventListener(type, listener);
  globalThis.__flightErrors = undefined;
  await begin({ release: 'v7' });
  fail(new Error('two'));
  expect((await readSent(2))[1]?.event['release']).toBe('v7');
  delete document.documentElement.dataset['dplId'];
});
