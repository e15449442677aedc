import { describe, expect, it } from 'vitest';

import { mergeResolved } from './read-event-frames.ts';
import { readEvent, type EventSource } from './read-event.ts';

const exception = { values: [{ type: 'Error', value: 'An error occurred in the Server Components render.' }] };
const digest = '2338734591@E394';

function read(event: object, source: EventSource = { side: 'server' }) {
  return readEvent({ ...event }, source);
}

/** As @sentry/nextjs sends the line that Next.js or React wrote: the error is one of its arguments. */
function consoleCrumb(text: string, argument: object, more: object = {}) {
  return {
    timestamp: 1,
    category: 'console',
    level: 'error',
    message: text,
    data: { arguments: [text, argument], ...more },
  };
}

const about = consoleCrumb(' ⨯ Error: An error occurred in the Server Components render.', { digest });

describe('the route', () => {
  it.each([
    ['GET /reset?token=hunter2&mail=jane@corp.example', '/reset'],
    ['/reset/password=hunter2', '/reset/password=[Filtered]'],
    ['task postgres://app:hunter2@db/x', 'task postgres://[Filtered]@db/x'],
    ['GET /:lang?/shop/:id?', '/:lang?/shop/:id?'],
    ['GET /[[...slug]]', '/[[...slug]]'],
    ['/home/:user', '/home/:user'],
  ])('of %s is %s', (transaction, route) => {
    expect(read({ exception, transaction })?.route).toBe(route);
    const nextjs = { route_type: 'render', router_path: transaction.replace(/^GET /, '') };
    expect(read({ exception, contexts: { nextjs } })?.route).toBe(route);
  });
});

describe('the digest is', () => {
  it.each([
    ['a tag', { tags: { digest } }],
    ['a tag of a list', { tags: [['Digest', digest]] }],
    ['a property of the error, as a context', { contexts: { Error: { digest } } }],
    ['extra data', { extra: { digest } }],
    ['extra data with the error', { extra: { error: { digest, name: 'x' } } }],
    ['the argument of a console line about this error', { breadcrumbs: { values: [about] } }],
    [
      'named by an argument that has the message itself',
      { breadcrumbs: [consoleCrumb('[object Object]', { digest, message: exception.values[0]?.value })] },
    ],
  ])('%s', (_, event) => {
    expect(read({ exception, ...event })?.digest).toBe(digest);
  });

  it.each([
    ['a console line about another error', { breadcrumbs: [consoleCrumb('Error: other', { digest })] }],
    ['a breadcrumb that is no console line', { breadcrumbs: [{ ...about, category: 'cart' }] }],
    ['a console line, when the error has no message', { exception: [{ type: 'E', value: '' }], breadcrumbs: [about] }],
    ['control flow', { tags: { digest: 'NEXT_REDIRECT;replace;/login;307;' } }],
    ['control flow without details', { contexts: { Error: { digest: 'NEXT_NOT_FOUND' } } }],
    ['too long', { tags: { digest: 'x'.repeat(65) } }],
    ['a line break', { tags: { digest: 'a\nb' } }],
    ['an object', { tags: { digest: { a: 1 } } }],
    ['nothing', {}],
  ])('not %s', (_, event) => {
    expect(read({ exception, ...event })?.digest).toBeUndefined();
  });

  it('a number too, and the tag before a console line', () => {
    expect(read({ exception, tags: { digest: 2338734591 }, breadcrumbs: [about] })?.digest).toBe('2338734591');
  });

  it('no longer searched for, after a million characters of other lines', () => {
    const causes = Array.from({ length: 300 }, (_, n) => ({ type: 'E', value: `cause ${n}` }));
    const long = consoleCrumb(`${'x'.repeat(8_000)}`, { digest: '11111' });
    const values = [...causes, ...exception.values];
    const event = { exception: { values }, breadcrumbs: [about, ...Array.from({ length: 50 }, () => long)] };
    expect(read(event)?.digest).toBeUndefined();
    expect(read({ ...event, breadcrumbs: event.breadcrumbs.slice(0, 30) })?.digest).toBe(digest);
  });

  it('of a line about one of the first causes, and of none behind them', () => {
    const causes = Array.from({ length: 30 }, (_, n) => ({ type: 'E', value: `cause ${n}.` }));
    const event = { exception: { values: [...causes, ...exception.values] } };
    expect(read({ ...event, breadcrumbs: [consoleCrumb('cause 29.', { digest })] })?.digest).toBe(digest);
    expect(read({ ...event, breadcrumbs: [consoleCrumb('cause 2.', { digest })] })?.digest).toBeUndefined();
  });

  it('of the latest console line about this error', () => {
    const [older, newer] = [consoleCrumb('boom', { digest: '11111' }), consoleCrumb('boom', { digest: '22222' })];
    expect(read({ exception: [{ type: 'E', value: 'boom' }], breadcrumbs: [older, newer] })?.digest).toBe('22222');
  });
});

describe('exceptions', () => {
  it('are the thrown one and its causes, outermost first, whether numbered or not', () => {
    const [root, middle, thrown] = ['root', 'middle', 'thrown'].map((value) => ({ type: 'E', value }));
    const numbers = [2, 1, 0].map((exception_id) => ({ mechanism: { exception_id } }));
    const numbered = [root, middle, thrown].map((one, index) => ({ ...one, ...numbers[index] }));
    for (const values of [[root, middle, thrown], numbered, numbered.toReversed()]) {
      expect(read({ exception: { values } })).toMatchObject({
        message: 'thrown',
        causes: [{ message: 'middle' }, { message: 'root' }],
        isSynthetic: false,
      });
    }
  });

  it.each([
    ['a captured message', { exception: [{ value: 'm', mechanism: { synthetic: true } }], message: 'm' }],
    ['a message alone', { logentry: { message: 'm' } }],
    ['a rejected value', { exception: [{ type: 'UnhandledRejection', value: 'm', mechanism: { synthetic: true } }] }],
  ])('are synthetic: %s', (_, event) => {
    expect(read(event)).toMatchObject({ message: 'm', isSynthetic: true });
  });

  it('that somebody sent with sentry-cli say nothing of the app’s framework', () => {
    const framework = (name: string) => read({ message: 'm', sdk: { name, version: '2.1.0' } })?.framework;
    expect([framework('sentry-cli'), framework('sentry.python.django')]).toEqual(['', 'django']);
  });

  it('whose values are no text are shown as JSON', () => {
    const say = (value: unknown) => read({ exception: { values: [{ type: 'ApiError', value }] } })?.message;
    expect(say({ code: 42, reason: 'quota' })).toBe('{"code":42,"reason":"quota"}');
    expect(say(503)).toBe('503');
    expect(say(null)).toBe('');
  });

  it('of the oldest SDKs, and a crash with nothing but a thread', () => {
    const old = { 'sentry.interfaces.Exception': { values: [{ type: 'E', value: 'v' }] }, culprit: 'views.show' };
    expect(read(old)).toMatchObject({ name: 'E', message: 'v', route: 'views.show' });
    const frames = [{ function: 'main', package: '/usr/lib/libc.so' }];
    const crash = { platform: 'native', threads: [{ id: 1 }, { id: 2, crashed: true, stacktrace: { frames } }] };
    expect(read(crash)?.frames).toMatchObject([{ fn: 'main', source: '/usr/lib/libc.so' }]);
    expect(read({ threads: [{ id: 1 }] })).toBeUndefined();
    expect(read({ extra: { a: 1 } })).toBeUndefined();
  });
});

describe('frames', () => {
  function readFrames(event: object, frames: readonly object[]) {
    const given = read({ exception: [{ type: 'E', value: 'v', stacktrace: { frames } }], ...event })?.frames ?? [];
    return mergeResolved(
      given,
      given.map(({ isLibrary: _library, source: _source, context: _context, ...frame }) => ({ ...frame, inApp: true })),
    );
  }

  it('are the app’s own as the SDK marks them, and all where it marks none', () => {
    const frames = [{ filename: 'a.py', in_app: false }, { filename: 'b.py' }, { filename: 'c.py' }];
    const own = (marked: readonly object[]) => readFrames({ platform: 'python' }, marked).map(({ inApp }) => inApp);
    expect(own(frames)).toEqual([true, true, false]);
    expect(own([...frames, { filename: 'd.py', in_app: true }])).toEqual([true, false, false, false]);
  });

  it('name their source themselves, unless they are scripts', () => {
    expect(readFrames({ platform: 'java' }, [{ module: 'com.shop.Cart', lineno: 3 }])).toMatchObject([
      { source: 'com.shop.Cart', line: 3 },
    ]);
    const [script] = readFrames({ platform: 'node' }, [{ filename: '/srv/dist/server.js', lineno: 3, colno: 9 }]);
    expect(script).not.toHaveProperty('source');
    expect(script).toMatchObject({ file: '/srv/dist/server.js', column: 9 });
  });

  it('know their source map by the debug id of their file', () => {
    const file = 'https://shop.test/assets/a.js';
    const debug_id = '79f6a3ef-0a5c-4d4a-9b27-1a2b3c4d5e6f';
    const images = [{ type: 'sourcemap', code_file: file, debug_id }, { code_file: 7 }, null];
    const event = { debug_meta: { images }, exception: [{ type: 'E', stacktrace: { frames: [{ abs_path: file }] } }] };
    expect(read(event)?.frames).toMatchObject([{ debugId: debug_id, file: '/assets/a.js' }]);
  });

  it('keep what a source map says before what the SDK says', () => {
    const [given] =
      read({ exception: [{ type: 'E', stacktrace: { frames: [{ filename: 'a.js', in_app: false }] } }] })?.frames ?? [];
    if (!given) throw new Error('no frame');
    const resolved = { fn: 'pay', file: 'a.js', line: 1, column: 1, source: 'src/pay.ts', inApp: true };
    expect(mergeResolved([given], [resolved])).toEqual([resolved]);
  });
});

it.each(['server', 'browser'] as const)('source lines that a %s sends are scrubbed, like every text', (side) => {
  const frame = {
    filename: 'app/pay.py',
    lineno: 3,
    in_app: true,
    pre_context: ['import stripe', 'client = login("ada@example.org")'],
    context_line: 'stripe.api_key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"',
    post_context: ['password = "hunter2-and-more"'],
  };
  const stacktrace = { frames: [frame] };
  const event = { platform: 'python', exception: { values: [{ type: 'E', value: 'v', stacktrace }] } };
  const context = read(event, { side })?.frames[0]?.context;
  expect(context).toMatchObject({ firstLine: 1, lines: ['import stripe', ...Array(3).fill(expect.any(String))] });
  expect(JSON.stringify(context)).not.toMatch(/4eC39HqLyjWDarjtT1zdp7dc|ada@example|hunter2/);
});

it('keeps a breadcrumb without a time in its place, and says that it had none', () => {
  const crumbs = [
    { message: 'first' },
    { timestamp: 5, message: 'a' },
    { message: 'b' },
    { timestamp: 9, message: 'c' },
  ];
  const event = { exception, timestamp: 20, breadcrumbs: { values: crumbs } };
  const found = read(event)?.breadcrumbs.map(({ message, time, isUntimed }) => [message, time, isUntimed]);
  expect(found).toEqual([
    ['first', 5_000, true],
    ['a', 5_000, undefined],
    ['b', 5_000, true],
    ['c', 9_000, undefined],
  ]);
  expect(read({ ...event, breadcrumbs: [{ message: 'alone' }] })?.breadcrumbs).toMatchObject([
    { message: 'alone', time: 20_000, isUntimed: true },
  ]);
});

describe('what SDKs were seen to send', () => {
  it.each([
    ['a log entry that is a text', { logentry: 'm' }],
    ['a message that is an object', { message: { message: 'm %s', formatted: 'm' } }],
    ['a message beside an empty log entry', { logentry: {}, message: 'm' }],
    ['no frames', { message: 'm', exception: { values: [{ type: 'E', value: 'm', stacktrace: { frames: null } }] } }],
    ['no stack', { exception: { values: [{ type: 'E', value: 'm', stacktrace: null }] } }],
    ['frames without anything', { exception: [{ type: 'E', value: 'm', stacktrace: { frames: [{}, null] } }] }],
    ['an exception that is null', { exception: null, message: 'm' }],
    ['contexts with nothing in them', { message: 'm', contexts: { runtime: null, device: 7, os: [] } }],
    ['a user that is a text', { message: 'm', user: 'Jane' }],
    ['breadcrumbs of null', { message: 'm', breadcrumbs: { values: null } }],
    ['tags of null', { message: 'm', tags: [['a', null], [null, 'b'], ['c']] }],
  ])('%s', (_, event) => {
    expect(read(event)).toMatchObject({ message: 'm' });
  });

  it('headers as a record, as pairs, and with a list for a value', () => {
    const name = 'Browser/1.0';
    for (const headers of [{ 'user-agent': name }, [['User-Agent', name]], { 'User-Agent': [name] }]) {
      expect(read({ message: 'm', request: { headers } })?.userAgent).toBe(name);
    }
  });

  it('a user whose id is a number, before the name and the address', () => {
    expect(read({ message: 'm', user: { id: 7, username: 'jane', email: 'j@x.test' } })?.user).toBe('id:7');
    expect(read({ message: 'm', user: { id: null, username: '', email: 'j@x.test' } })?.user).toBe('email:j@x.test');
  });
});

describe('what a framework says', () => {
  it.each([
    ['render', 'rsc'],
    ['route', 'route'],
    ['action', 'action'],
    ['middleware', 'proxy'],
    ['proxy', 'proxy'],
  ])('Next.js: %s is %s', (route_type, phase) => {
    const nextjs = { route_type, router_path: '/todos/[id]', request_path: '/todos/7?token=x' };
    expect(
      read({ exception, contexts: { nextjs }, sdk: { name: 'sentry.javascript.nextjs', version: '11' } }),
    ).toMatchObject({
      phase,
      framework: 'next',
      route: '/todos/[id]',
      path: '/todos/7',
    });
  });

  it.each([
    ['auto.node.onuncaughtexception', 'process', 'background'],
    ['auto.middleware.express', 'route', 'unknown'],
    ['generic', 'unknown', 'unknown'],
  ])('%s', (type, phase, kind) => {
    expect(read({ exception: [{ type: 'E', value: 'v', mechanism: { type } }] })).toMatchObject({ phase, kind });
  });

  it.each([
    [{ level: 'log' }, 'info'],
    [{ level: 'WARN' }, 'warning'],
    [{ level: 'critical' }, 'fatal'],
    [{ level: 'nonsense' }, 'error'],
    [{ level: 50 }, 'error'],
    [{}, 'error'],
  ])('level %j is %s', (event, level) => {
    expect(read({ exception, ...event })?.level).toBe(level);
  });

  it.each([
    [{ fingerprint: [] }, undefined],
    [{ fingerprint: ['', null] }, undefined],
    [{ fingerprint: ['{{ default }}', 404, 'token=abc'] }, ['{{ default }}', '404', 'token=[Filtered]']],
    [{ fingerprint: 'alone' }, ['alone']],
    [{}, undefined],
  ])('fingerprint %j is %j', (event, fingerprint) => {
    expect(read({ exception, ...event })?.fingerprint).toEqual(fingerprint);
  });
});

describe('what is bounded', () => {
  it('tags: fifty, of 200 characters', () => {
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`t${index}`, 'v'.repeat(300)]));
    const kept = Object.values(read({ exception, tags })?.tags ?? {});
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.length).toBeLessThanOrEqual(50);
    expect(kept[0]).toHaveLength(200);
    const small = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`t${index}`, 1]));
    expect(Object.keys(read({ exception, tags: small })?.tags ?? {})).toHaveLength(50);
  });

  it('details: 16 KiB, and nothing of a prototype', () => {
    const contexts = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`c${index}`, { a: 'x'.repeat(500), b: 'y'.repeat(500) }]),
    );
    const event: object = JSON.parse(`{"extra":{"__proto__":{"polluted":1},"constructor":"c"}}`);
    const extra = read({ exception, contexts, ...event })?.extra ?? {};
    expect(JSON.stringify(extra).length).toBeLessThanOrEqual(16 * 1024);
    expect(Object.keys(extra).length).toBeGreaterThan(20);
    expect(extra).toMatchObject({ constructor: 'c' });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('causes: five, 16 KiB of their texts, and ten frames of each', () => {
    const frames = Array.from({ length: 50 }, () => ({ function: 'f'.repeat(200), filename: 'g'.repeat(900) }));
    const values = Array.from({ length: 12 }, () => ({ type: 'E', value: 'v'.repeat(9_000), stacktrace: { frames } }));
    const causes = read({ exception: { values } })?.causes ?? [];
    expect(causes.length).toBeGreaterThan(1);
    const texts = causes.map(({ frames: _frames, ...cause }) => cause);
    expect(JSON.stringify(texts).length).toBeLessThanOrEqual(16 * 1024);
    expect(causes.map((cause) => cause.frames.length)).toEqual(causes.map(() => 10));
    expect(read({ exception: values.map(() => ({ type: 'E', value: 'v' })) })?.causes).toHaveLength(5);
  });
});

it('what a server says keeps the addresses of machines and loses its credentials; a browser’s text loses both', () => {
  const event = { message: 'connect ECONNREFUSED 10.0.0.7:5432 for jane@example.org, password=abc' };
  expect(read(event)?.message).toBe('connect ECONNREFUSED 10.0.0.7:5432 for [email], password=[Filtered]');
  expect(read(event, { side: 'browser' })?.message).toBe(
    'connect ECONNREFUSED [ip]:5432 for [email], password=[Filtered]',
  );
});

describe('what differed when a page was hydrated', () => {
  const texts = { server: 'Total 4711', browser: 'Total 7' };
  it.each([
    ['body > p[id="total"]:nth-child(1)', texts],
    ['form > input[type="password"]', { server: '[Filtered]', browser: '[Filtered]' }],
    ['div[id="user-email"] > p', { server: '[Filtered]', browser: '[Filtered]' }],
  ])('in %s is %j', (where, expected) => {
    const hydration = { kind: 'text', where, ...texts, cause: 'random' };
    const extra = read({ exception, extra: { hydration } }, { side: 'browser' })?.extra;
    expect(extra).toEqual({
      'hydration.kind': 'text',
      'hydration.where': where,
      'hydration.server': expected.server,
      'hydration.browser': expected.browser,
      'hydration.cause': 'random',
    });
  });

  it('is cut, and scrubbed as every text of a browser', () => {
    const hydration = { where: 'p', server: `token=hunter2 ${'x'.repeat(9_000)}` };
    const server = read({ exception, extra: { hydration } }, { side: 'browser' })?.extra['hydration.server'];
    expect(server).not.toContain('hunter2');
    expect(server?.length).toBeLessThan(600);
  });
});
