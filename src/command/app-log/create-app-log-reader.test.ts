import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';

import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  letrec,
  nat,
  oneof,
  option,
  property,
  record,
  string,
  type Arbitrary,
} from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { AppError } from '#report/sender/app-error.ts';
import type { Running } from '#report/sender/map-frames.ts';

import { readAppErrors } from '#src/faults/app-errors/read-app-errors.ts';

import { createAppLogReader } from './create-app-log-reader.ts';

/** What Next.js 14.2.35, 15.5.29 and 16.4.6 printed for the same five failing routes; the app's folder is /srv/shop there. */
const versions = ['14', '15', '16'];
const modes = ['start', 'dev'];
const all = versions.flatMap((version) => modes.map((mode) => `next-${version}-${mode}`));

function readFixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, 'fixtures', `${name}.txt`));
}

function readAll(bytes: Uint8Array, step = bytes.length): AppError[] {
  const errors: AppError[] = [];
  const reader = createAppLogReader((error) => errors.push(error), { root: '/srv/shop' });
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step));
  reader.end();
  return errors;
}

function readText(text: string): AppError[] {
  return readAll(Buffer.from(text));
}

describe.each(all)('the output of %s', (name) => {
  const errors = readAll(readFixture(name));

  it('has each error once, with its digest', () => {
    expect(errors.map(({ name: type, message }) => [type, message.split('\n', 1)[0]])).toEqual([
      ['Error', 'Boom before the shell'],
      ['Error', 'Late, after the shell'],
      ['TypeError', 'The orders of customer 42 cannot be read'],
      ['Error', 'boom in client component on the server'],
      // 15 does not mark it, and in development nothing says that it is one.
      ...(name === 'next-15-dev' ? [] : [['Error', 'route handler failed']]),
    ]);
    for (const { digest, message } of errors) {
      if (message === 'route handler failed') expect(digest).toBeUndefined();
      else expect(digest).toMatch(/^\d{7,10}$/);
    }
  });

  it('has the whole message, and the cause', () => {
    const error = errors.find(({ name: type }) => type === 'TypeError');
    expect(error?.message).toBe('The orders of customer 42 cannot be read\n  second line of the message');
    expect(error?.causes).toMatchObject([
      {
        name: 'SyntaxError',
        message: expect.stringContaining('after array element'),
        stack: expect.stringContaining('at JSON.parse'),
      },
    ]);
    expect(error?.stack).toMatch(/^TypeError: The orders .*\n.*\n\s+at /);
  });

  it('is the same in small pieces', () => {
    const plain = errors.map(({ id: _id, time: _time, ...rest }) => rest);
    for (const step of [1, 7, 64]) {
      expect(readAll(readFixture(name), step).map(({ id: _id, time: _time, ...rest }) => rest)).toEqual(plain);
    }
  });
});

describe.each(['next-14-dev', 'next-15-dev', 'next-16-dev'])('the code frame of %s', (name) => {
  it('is the source of the first frame', () => {
    const [boom, late] = readAll(readFixture(name));
    expect(boom?.frames?.[0]).toMatchObject({
      fn: 'Boom',
      source: 'app/boom/page.jsx',
      line: 5,
      column: 9,
      inApp: true,
    });
    const { firstLine = 0, lines = [] } = boom?.frames?.[0]?.context ?? {};
    expect(lines[5 - firstLine]).toBe("  throw new Error('Boom before the shell');");
    expect(late?.frames?.[0]).toMatchObject({ fn: 'Slow', line: 7, context: { firstLine: 5 } });
    expect(late?.frames?.[0]?.context?.lines.at(-1)).toBe('export default function Late() {');
  });
});

/** What Next.js 16.4.6 printed under `next start` for a `proxy.ts` and a page that throw. */
describe('an error of proxy.ts', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'flight-log-'));
    mkdirSync(path.join(root, '.next/server'), { recursive: true });
  });

  afterEach(() => rmSync(root, { recursive: true }));

  function readProxy(): AppError[] {
    const errors: AppError[] = [];
    const reader = createAppLogReader((error) => errors.push(error), { root });
    reader.write(readFixture('next-16-proxy'));
    reader.end();
    return errors;
  }

  it('is read where the built proxy loads the file that threw', () => {
    const chunk = 'server/chunks/[root-of-the-server]__0ii6qsttkp5_q._.js';
    writeFileSync(path.join(root, '.next/server/middleware.js'), `R.c("server/chunks/a.js")\nR.c("${chunk}")\n`);
    expect(readProxy()).toMatchObject([
      {
        name: 'QueryError',
        message: 'middleware broke',
        phase: 'proxy',
        digest: undefined,
        causes: [{ name: 'TypeError', message: 'inner cause', stack: expect.stringContaining('8:73500') }],
      },
      { name: 'QueryError', message: 'the query failed', phase: 'unknown', digest: '2797930747' },
    ]);
  });

  it('is read each time: Next prints it once for each request', () => {
    writeFileSync(path.join(root, '.next/server/middleware.js'), 'R.c("server/chunks/a.js")\n');
    const errors: AppError[] = [];
    const reader = createAppLogReader((error) => errors.push(error), { root });
    const print = 'TypeError: it fell over\n    at proxy (.next/server/chunks/a.js:8:7)\n';
    reader.write(Buffer.from(print + print));
    reader.end();
    expect(errors).toHaveLength(2);
  });

  it('is any other error of the app’s output where it does not', () => {
    writeFileSync(path.join(root, '.next/server/middleware.js'), 'R.c("server/chunks/a.js")\n');
    expect(readProxy().map(({ message }) => message)).toEqual(['the query failed']);
    rmSync(path.join(root, '.next'), { recursive: true });
    expect(readProxy().map(({ message }) => message)).toEqual(['the query failed']);
  });

  it('is read where webpack puts all into one file', () => {
    const errors: AppError[] = [];
    const reader = createAppLogReader((error) => errors.push(error), { root });
    reader.write(Buffer.from('Error: it broke\n    at middleware (.next/server/middleware.js:1:240)\n'));
    reader.end();
    expect(errors).toMatchObject([{ message: 'it broke', phase: 'proxy' }]);
  });
});

it('reads what `register` of instrumentation.ts threw, once for each answer: Next.js 16 prints it twice', () => {
  const print =
    'Error: An error occurred while loading instrumentation hook: register failed\n' +
    '    at Module.e [as register] (.next/server/chunks/instrumentation_0hw5kte0e6fxw.js:1:94)\n';
  const told = { message: 'An error occurred while loading instrumentation hook: register failed', digest: undefined };
  expect(readText(print.repeat(4))).toMatchObject([told, told]);
  expect(readText(`the app says: ${print}`)).toEqual([]);
});

it('reads what a route handler of 16 could not parse, though no frame of it is in a file', () => {
  const print = "⨯ SyntaxError: Expected property name or '}' in JSON at position 1\n    at JSON.parse (<anonymous>)\n";
  const told = { name: 'SyntaxError', digest: undefined, frames: [] };
  expect(readText(`${print}${print}ready\n`)).toMatchObject([told, told]);
  expect(readText('⨯ Failed to start the server\nready\n')).toEqual([]);
});

/** What `next build` of 16.4.6 writes of a page with `revalidate` and of one that is rendered for each request. */
describe('an error of a prerendered page', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'flight-log-'));
    const next = path.join(root, '.next');
    for (const page of ['(shop)/isr/[id]', 'twin']) mkdirSync(path.join(next, 'server/app', page), { recursive: true });
    const routes = { '/isr/1': { srcRoute: '/isr/[id]' } };
    writeFileSync(path.join(next, 'prerender-manifest.json'), JSON.stringify({ routes, dynamicRoutes: {} }));
    const paths = { '/(shop)/isr/[id]/page': '/isr/[id]', '/twin/page': '/twin', '/api/route': '/api' };
    writeFileSync(path.join(next, 'app-path-routes-manifest.json'), JSON.stringify(paths));
    const load = (...chunks: string[]) => chunks.map((chunk) => `R.c("server/chunks/ssr/${chunk}.js")\n`).join('');
    writeFileSync(path.join(next, 'server/app/(shop)/isr/[id]/page.js'), load('[root]__shared._', '[root]__isr._'));
    writeFileSync(path.join(next, 'server/app/twin/page.js'), load('[root]__shared._', '[root]__twin._'));
  });

  afterEach(() => rmSync(root, { recursive: true }));

  function readTwice(file: string): AppError[] {
    const errors: AppError[] = [];
    const reader = createAppLogReader((error) => errors.push(error), { root });
    const shared = '.next/server/chunks/ssr/[root]__shared._.js:1:545';
    const print = `⨯ Error: it broke\n    at <unknown> (${shared})\n    at d (${file}:1:1736) {\n  digest: '2484271260'\n}\n`;
    reader.write(Buffer.from(print + print));
    reader.end();
    return errors;
  }

  it('is one, though Next prints it twice', () => {
    expect(readTwice('.next/server/chunks/ssr/[root]__isr._.js')).toHaveLength(1);
    expect(readTwice('.next/server/app/(shop)/isr/[id]/page.js')).toHaveLength(1);
  });

  it('is two of a page that is rendered for each request', () => {
    expect(readTwice('.next/server/chunks/ssr/[root]__twin._.js')).toHaveLength(2);
    rmSync(path.join(root, '.next/prerender-manifest.json'));
    expect(readTwice('.next/server/chunks/ssr/[root]__isr._.js')).toHaveLength(2);
  });

  it.each([
    ['resuming', 2],
    ['static', 1],
  ])('is told by what is computed of a page with a shell: %s', (compute, count) => {
    const route = { experimentalPPR: true, renderingMode: 'PARTIALLY_STATIC', compute };
    const manifest = { routes: {}, dynamicRoutes: { '/isr/[id]': route } };
    writeFileSync(path.join(root, '.next/prerender-manifest.json'), JSON.stringify(manifest));
    expect(readTwice('.next/server/chunks/ssr/[root]__isr._.js')).toHaveLength(count);
  });
});

describe.each([
  ['next-15-action', 'the action failed'],
  ['next-16-action', 'orders could not be read'],
])('an action without JavaScript, in the output of %s', (name, message) => {
  it('is one error, though Next prints it twice', () => {
    expect(readAll(readFixture(name))).toMatchObject([{ message, digest: undefined }]);
    expect(readAll(Buffer.concat([readFixture(name), readFixture(name)]))).toHaveLength(2);
  });
});

it('is one in development, too, where the second print names the page', () => {
  const print = `⨯ TypeError: not for sale
    at add (app/basket/actions.js:3:135)
  2 | export async function add() {
> 3 |   throw new TypeError('not for sale');
    |         ^
  4 | }`;
  const once = `${print}\n${print} {\n  page: '/basket'\n}\n`;
  expect(readText(once)).toMatchObject([{ name: 'TypeError', message: 'not for sale' }]);
  expect(readText(once + once)).toHaveLength(2);
  // Two that were called by a script are printed once each.
  expect(readText(`${print}\n${print}\n`)).toHaveLength(2);
});

it.each([
  ['app/api/stock/[sku]/route.js:2:9', '/api/stock/[sku]'],
  ['src/app/@side/feed/route.ts:2:9', '/feed'],
  ['.next/server/app/(shop)/feed/route.js:1:9', '/feed'],
  ['/srv/shop/.next/server/app/api/route.js:1:70', '/api'],
  ['app/page.js:1:2', undefined],
  ['lib/route.js:1:2', undefined],
])('knows the route of what a route handler threw, or what it called: %s', (file, route) => {
  const text = `⨯ Error: out of stock\n    at count (lib/stock.js:3:1)\n    at async GET (${file})\n`;
  expect(readText(text)).toMatchObject([{ route, phase: route === undefined ? 'unknown' : 'route' }]);
});

it('knows no route of a page’s error, though a module of a route handler’s file threw it', () => {
  const text = `⨯ Error: price table is empty
    at load (.next/server/app/api/json/route.js:1:240)
    at Page (.next/server/app/same-a/page.js:1:99) {
  digest: '2338734591'
}
`;
  expect(readText(text)).toMatchObject([{ digest: '2338734591', route: undefined, phase: 'unknown' }]);
});

it('leaves out what an app caught and printed with words of its own, though a module of a route handler threw it', () => {
  const trace =
    '\n    at load (.next/server/app/api/stock/route.js:1:1234)\n    at Page (.next/server/app/plant/page.js:1:99)\n';
  expect(readText(`could not plant: Error: Caught and logged${trace}`)).toEqual([]);
  expect(readText(`Error: route handler failed${trace}`)).toMatchObject([{ message: 'route handler failed' }]);
});

it('reads what Next.js prints of a function that was passed to after()', () => {
  const text = [
    'An error occurred in a function passed to `after()`: Error: After the page failed',
    '    at f (.next/server/app/afterpage/page.js:1:4321)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
    'the app goes on',
    '',
  ].join('\n');
  expect(readText(text)).toMatchObject([{ name: 'Error', message: 'After the page failed', digest: undefined }]);
  // Not what an app says of its own.
  expect(readText(text.replace('An error occurred', 'My error occurred'))).toEqual([]);
});

it('has no digest of a text in an error’s message', () => {
  const errors = readText(`⨯ Error: bad config {
  digest: "abc"
}
    at Page (.next/server/app/orders/page.js:1:2303) {
  digest: '1100000001'
}
`);
  expect(errors).toMatchObject([{ message: 'bad config {\n  digest: "abc"\n}', digest: '1100000001' }]);
});

const cases = {
  plain: ` ⨯ Error: no such order
    at Page (.next/server/app/orders/page.js:1:2303) {
  digest: '1100000001'
}
`,
  empty: `⨯ Error: 
    at Page (.next/server/app/orders/page.js:1:2303) {
  digest: '1100000001'
}
`,
  'without a colon': `⨯ Error
    at Page (.next/server/app/orders/page.js:1:2303) {
  digest: '1100000001'
}
`,
  lower: `⨯ error: relation "orders" does not exist
    at async Page (.next/server/app/orders/page.js:1:2303) {
  length: 106,
  severity: 'ERROR',
  digest: '1100000001'
}
`,
  minified: `⨯ d: no stock
    at Page (.next/server/app/orders/page.js:1:2303) {
  digest: '1100000001'
}
`,
  rejection: `⨯ unhandledRejection:  Error: cache get failed
    at Object.get (cache-handler.js:24:13) {
  digest: '1100000001'
}
`,
  exception: `⨯ uncaughtException: Error: cache get failed
    at Object.get (cache-handler.js:24:13) {
  digest: '1100000001'
}
`,
  'in one line': "⨯ [Error: aborted] { code: 'ECONNRESET', digest: '1100000001' }\n",
  'text of a library': `error while rendering {
  url: '/orders',
  digest: '1100000001'
}
`,
  'a line of JSON': '{"level":50,"err":{"message":"no such order","digest":"1100000001"}}\n',
};

const prefixes = [
  '',
  'web:start: ',
  'apps/web start: ',
  '[0] ',
  '[web] ',
  'web-1  | ',
  '0|web  | ',
  '2026-11-28T10:00:00.123Z ',
  '2026-11-28T10:00:00.123456789Z stderr F ',
  '[10:00:00] ',
  '10:00:00 AM ',
  'Nov 28 10:00:00 host next[123]: ',
];

function withPrefix(text: string, prefix: string): string {
  return text.replace(/^(?=[^])/gm, (_, at) =>
    at === text.length ? '' : prefix.replace(/00(?=\D)/, String(10 + (at % 50))),
  );
}

describe('a digest leads to its error', () => {
  const heads: Record<string, [string, string]> = {
    plain: ['Error', 'no such order'],
    empty: ['Error', ''],
    'without a colon': ['Error', ''],
    lower: ['error', 'relation "orders" does not exist'],
    minified: ['d', 'no stock'],
    rejection: ['Error', 'cache get failed'],
    exception: ['Error', 'cache get failed'],
    'in one line': ['Error', 'aborted'],
  };

  it.each(Object.entries(cases).flatMap(([title, text]) => prefixes.map((prefix) => [title, prefix, text] as const)))(
    'of the form %s, with the prefix "%s"',
    (title, prefix, text) => {
      const errors = readText(`${prefix}ready\n${withPrefix(text, prefix)}${prefix}GET / 200\n`);
      const [name, message] = heads[title] ?? ['Error', expect.any(String)];
      expect(errors).toMatchObject([{ digest: '1100000001', name, message }]);
    },
  );

  const frame = '    at b (.next/server/chunks/ssr/[root-of-the-server]__0c.js:1:1554) {';

  it('once, where the app prints it with words of its own after Next did', () => {
    const both = (digest: string) => `⨯ Error: the cart\n${frame}\n  digest: '${digest}'\n}
request failed: /cart Error: the cart\n${frame}\n  digest: '${digest}'\n}\n`;
    const errors = readText(`${both('208566655')}GET /cart 500\n${both('208566655')}${both('208566656')}`);
    expect(errors.map(({ name, message, digest }) => [name, message, digest])).toEqual([
      ['Error', 'the cart', '208566655'],
      ['Error', 'the cart', '208566655'],
      ['Error', 'the cart', '208566656'],
    ]);
  });

  it('also where the app prints it after a visitor got Next’s mark printed with the same digest and another text', () => {
    const real = `Error: the cart\n${frame}\n  digest: '208566655'\n}\n`;
    for (const forged of [
      `⨯ Error: made up\n${frame}\n  digest: '208566655'\n}`,
      `⨯ [Error: a] { digest: '208566655' }`,
      `⨯ [Error: the cart] { digest: '208566655' }`,
      `⨯ Error: the cart\n    at evil (app/evil.js:1:1) {\n  digest: '208566655'\n}`,
    ]) {
      const told = readText(`${forged}\n${real}failed { digest: '208566655', path: '/cart' }\n`);
      expect(told).toHaveLength(2);
      expect(told[1]).toMatchObject({ message: 'the cart', digest: '208566655' });
    }
  });

  it('where Next printed React’s text in place of the message, and the app the error', () => {
    const hidden = 'An error occurred in the Server Components render. The specific message is omitted';
    const [, told] = readText(`⨯ Error: ${hidden}\n${frame}\n  digest: '208566655'\n}
request failed: /cart TypeError: no price\n${frame}\n  digest: '208566655'\n}\n`);
    expect(told).toMatchObject({ name: 'TypeError', message: 'no price', digest: '208566655' });
  });

  it.each([
    ['request failed: /a Error: plain', 'Error', 'plain'],
    ['request failed: /a?_rsc Error [InventoryError]: out of stock', 'InventoryError', 'out of stock'],
    ['oops Error: [\n  {\n    "path": []\n  }\n]', 'Error', '[\n  {\n    "path": []\n  }\n]'],
    [
      'at /a: Error: validation failed: {\n  "field": "email"\n}',
      'Error',
      'validation failed: {\n  "field": "email"\n}',
    ],
    ['oops ZodError: x\n\nwhile asking the shop', 'ZodError', 'x\n\nwhile asking the shop'],
  ])('without the words that the app prints before it: %j', (head, name, message) => {
    const text = `Warning: of another line\n${head}\n${frame}\n  digest: '208566655'\n}\n`;
    expect(readText(text)).toMatchObject([{ name, message, digest: '208566655' }]);
  });

  it('where Next leaves out all frames', () => {
    const text = `request failed: /a Error: just a string\n    at ignore-listed frames {\n  digest: '1011827550'\n}\n`;
    expect(readText(text)).toMatchObject([{ name: 'Error', message: 'just a string', digest: '1011827550' }]);
  });

  it('where an object was thrown', () => {
    const text = ` ⨯ {\n  status: 418,\n  message: 'teapot',\n  digest: '3848767645'\n}\n GET /r15 500\n`;
    expect(readText(text)).toMatchObject([
      { name: 'thrown object', message: "{ status: 418, message: 'teapot' }", digest: '3848767645' },
    ]);
  });

  it('whose message has a line that begins as a frame does', () => {
    const message = 'invalid input:\n  - name is required\n    at least that (line 5)\n}';
    const text = `⨯ Error: ${message}\n${frame}\n  digest: '1984075431'\n}\n`;
    expect(readText(text)).toMatchObject([{ name: 'Error', message, digest: '1984075431' }]);
  });

  it('of Next.js 14 in development whose frames are those of its cause alone', () => {
    const text = ` ⨯ Internal error: TypeError: fetch failed
digest: "3227098399"
Cause: Error: bad port
    at makeNetworkError (node:internal/deps/undici/undici:11841:35)
    at mainFetch (node:internal/deps/undici/undici:13224:22)
 GET /r16 500 in 100ms
`;
    expect(readText(text)).toMatchObject([
      { name: 'TypeError', message: 'fetch failed', digest: '3227098399', causes: [{ message: 'bad port' }] },
    ]);
  });

  it('where more apps print at once than are followed: only the oldest is given up', () => {
    const [first = '', ...names] = [...'abcdefghijklmnopq'].map((letter) => `app-${letter}`);
    const lines = [
      ...[first, ...names].flatMap((name) => [`${name}: ⨯ Error: of ${name}`, `${name}:     at f (/srv/a.js:1:2) {`]),
      ...names.flatMap((name, index) => [`${name}:   digest: '11000000${index + 10}'`, `${name}: }`]),
    ];
    const found = readText(`${lines.join('\n')}\n`).map(({ message, digest }) => [message, digest]);
    expect(found).toEqual([
      [`of ${first}`, undefined],
      ...names.map((name, index) => [`of ${name}`, `11000000${index + 10}`]),
    ]);
  });

  it('where several apps print at once', () => {
    const digests = ['1100000001', '1100000002', '1100000003'];
    const apps = ['web:start: ', 'admin:start: ', 'docs-1  | '].map((prefix, index) =>
      withPrefix(cases.lower.replaceAll('1100000001', digests[index] ?? ''), prefix).split('\n'),
    );
    const [first = []] = apps;
    const mixed = first.flatMap((_, row) => apps.map((lines) => lines[row] ?? ''));
    expect(readText(mixed.join('\n')).map(({ digest, message }) => [digest, message])).toEqual(
      digests.map((digest) => [digest, 'relation "orders" does not exist']),
    );
  });

  it('with the errors of an AggregateError, and their causes', () => {
    const inner = new Error('refused', { cause: new TypeError('no address') });
    const error = new AggregateError([inner, new Error('timed out')], '');
    expect(readPrinted(Object.assign(error, { digest: '1100000001' }))).toMatchObject([
      {
        name: 'AggregateError',
        message: '',
        digest: '1100000001',
        causes: [
          { name: 'Error', message: 'refused' },
          { name: 'TypeError', message: 'no address' },
          { name: 'Error', message: 'timed out' },
        ],
      },
    ]);
  });

  it('after more properties than are kept', () => {
    const request = Array.from({ length: 3_000 }, (_, index) => `    header${index}: 'text',`).join('\n');
    const text = cases.lower.replace('  length: 106,', `  request: {\n${request}\n  },`);
    expect(readText(text)).toMatchObject([{ digest: '1100000001', name: 'error' }]);
  });

  it('but for what a framework tells itself', () => {
    expect(readText(cases.plain.replace('1100000001', 'NEXT_REDIRECT;replace;/login;307;'))).toEqual([]);
  });

  it.each([
    ['Next.js 13.5 to 14.1', ' ⨯ Internal error: TypeError: fetch failed'],
    ['Next.js 14 without its mark', 'TypeError: fetch failed'],
  ])('with the cause that %s prints', (_, head) => {
    const text = `${head}
    at Object.fetch (node:internal/deps/undici/undici:11576:11)
    at async Page (./app/orders/page.tsx:18:22)
digest: "1300000001"
Cause: Error: getaddrinfo EAI_AGAIN undefined
    at GetAddrInfoReqWrap.onlookup [as oncomplete] (node:dns:108:26) {
  errno: -3001,
  hostname: 'undefined'
}
`;
    expect(readText(text)).toMatchObject([
      {
        name: 'TypeError',
        message: 'fetch failed',
        digest: '1300000001',
        causes: [{ name: 'Error', message: 'getaddrinfo EAI_AGAIN undefined' }],
      },
    ]);
  });

  it('and a rejection that nobody handled is told without one', () => {
    const stack =
      '\n    at Timeout.<anonymous> (lib/db.js:12:20)\n    at process.processTimers (node:internal/timers:523:7)\n';
    for (const space of [' ', '  ']) {
      expect(readText(`⨯ unhandledRejection:${space}Error: DB_TIMEOUT${stack}`)).toMatchObject([
        { name: 'Error', message: 'DB_TIMEOUT' },
      ]);
    }
  });
});

/** What `console.error('⨯', thrown)` writes. */
function readPrinted(thrown: unknown): AppError[] {
  return readText(`⨯ ${inspect(thrown)}\n`);
}

class QueryError extends Error {}
class d extends Error {}

const words = oneof(
  constantFrom(
    'no stock',
    '',
    '}',
    '{',
    ']',
    "it's",
    '"quoted"',
    '`',
    'Error: inner',
    'a: b',
    '[x]',
    '    at home',
    '  digest: none',
    '⨯',
    '$&',
  ),
  string({ maxLength: 12 }),
);
const messages = array(words, { maxLength: 4 }).chain((parts) =>
  constantFrom(' ', '\n', '\n\n').map((by) => parts.join(by)),
);

type Shape = {
  kind: number;
  message: string;
  props: number;
  cause: Shape | undefined;
  aggregate: Shape[];
  hasStack: boolean;
};
const shapes: Arbitrary<Shape> = letrec<{ shape: Shape }>((tie) => ({
  shape: record({
    kind: nat(7),
    message: messages,
    props: nat(3),
    cause: option(tie('shape'), { nil: undefined, maxDepth: 3, depthSize: 'small' }),
    aggregate: oneof({ maxDepth: 2 }, constant<Shape[]>([]), array(tie('shape'), { maxLength: 2 })),
    hasStack: boolean(),
  }),
})).shape;

function makeThrown({ kind, message, props, cause, aggregate, hasStack }: Shape, isOuter = true): unknown {
  if (!isOuter && kind === 6) return message;
  if (!isOuter && kind === 7) return { code: 42, text: message };
  const options = cause ? { cause: makeThrown(cause, false) } : {};
  const error =
    aggregate.length > 0
      ? new AggregateError(
          aggregate.map((one) => makeThrown(one, false)),
          message,
          options,
        )
      : ([Error, TypeError, QueryError, d].map((Type) => () => new Type(message, options))[kind % 4]?.() ??
        new Error(message));
  if (kind === 4) error.name = 'QueryFailed';
  if (kind === 5) Object.assign(error, { name: 'error', code: '42P01' });
  if (!hasStack) error.stack = `${error.name}: ${message}`;
  if (props > 0) Object.assign(error, { code: 'E_CODE' });
  const headers = { accept: 'text/html', cookie: message };
  if (props > 1) Object.assign(error, { request: { url: '/orders', headers } });
  if (props > 2) Object.assign(error, { list: Array.from({ length: 12 }, (_, index) => `entry ${index}`) });
  return error;
}

it('loses no digest of what inspect prints, with any prefix', () => {
  let isExact = 0;
  let runs = 0;
  assert(
    property(shapes, constantFrom(...prefixes), boolean(), (shape, prefix, isMarked) => {
      const digest = '1234567890';
      const error = makeThrown(shape);
      if (!(error instanceof Error)) throw new TypeError('an error was expected');
      const text = `${isMarked ? '⨯ ' : ''}${inspect(Object.assign(error, { digest }))}\n`;
      const found = readText(`${prefix}ready\n${withPrefix(text, prefix)}`).filter((one) => one.digest === digest);
      expect(found).toHaveLength(1);
      runs += 1;
      if (found[0]?.message === shape.message.trimEnd()) isExact += 1;
    }),
    { numRuns: Number(process.env['FLIGHT_RUNS'] ?? 300) },
  );
  // A message with lines that look like a stack is cut there.
  expect(isExact / runs).toBeGreaterThan(0.7);
});

const unknownAction =
  'Error: Failed to find Server Action "40aa". This request might be from an older or newer deployment.';

describe('the reader', () => {
  const error = "⨯ Error: no order\n    at load (.next/server/a.js:1:2) {\n  digest: '943353745'\n}\n";

  it('says what an error from the output does not say', () => {
    expect(readText(error)).toMatchObject([{ reporter: 'log', framework: 'next', phase: 'unknown', kind: 'unknown' }]);
  });

  it('reports an error when the output is silent, before it ends', async () => {
    const found = Promise.withResolvers<AppError>();
    const reader = createAppLogReader(found.resolve, { root: '/srv/shop', silenceMs: 5 });
    reader.write(Buffer.from('⨯ Error: route handler failed\n    at t (.next/server/b.js:1:240)\n'));
    expect((await found.promise).message).toBe('route handler failed');
  });

  it('is told at once where its brace is the last that was written', () => {
    const found: AppError[] = [];
    createAppLogReader((one) => found.push(one), { root: '/srv/shop' }).write(Buffer.from(error));
    expect(found).toMatchObject([{ digest: '943353745' }]);
  });

  it('says when it was printed, and not when the output was silent', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000 });
    try {
      const found: AppError[] = [];
      const reader = createAppLogReader((one) => found.push(one), { root: '/srv/shop' });
      reader.write(Buffer.from('⨯ Error: route handler failed\n    at t (.next/server/b.js:1:240)\n'));
      vi.setSystemTime(5_200);
      reader.end();
      expect(found.map(({ time }) => time)).toEqual([5_000]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports every copy that Next 15 and 16 print, and one of the two of Next 14', () => {
    expect(readText(error + error)).toHaveLength(2);
    expect(readText((error + error).replaceAll('⨯ ', ''))).toHaveLength(1);
    // Two requests that failed in a route handler.
    const handler = '⨯ Error: route handler failed\n    at t (.next/server/app/api/route.js:1:240)\n';
    expect(readText(handler + handler)).toHaveLength(2);
  });

  it.each([
    ['a line of the app', 'Error: something that the app printed\n    at f (/srv/shop/a.js:1:1)\n'],
    ['Next’s own complaints', ' ⨯ Failed to patch lockfile\n[TypeError: Cannot read properties]\n'],
    ['a mark without an error', '⨯ Error: text without a stack\nsomething else\n'],
    ['a request', ' GET /boom 500 in 364ms\n'],
    // The answer says the same, and of which tab it is (docs/builds.md). As Next.js 14.2.35, 15.5.29, 16.1.7 and 16.4.6 print it.
    [
      'an unknown action, of 14',
      `${unknownAction} Original error: x\n    at r$ (/srv/shop/node_modules/next/a.js:17:1667)\n`,
    ],
    ['an unknown action, of 15', `[${unknownAction}\nRead more: https://nextjs.org/docs/messages/x]\n`],
    [
      'an unknown action, of 16.1',
      `${unknownAction}\nRead more: https://nextjs.org/docs/messages/x\n    at ignore-listed frames\n`,
    ],
    [
      'an unknown action, of 16.4',
      `${unknownAction}\nRead more: https://nextjs.org/docs/messages/x\n    at i (.next/server/chunks/ssr/a.js:10:28960)\n`,
    ],
  ])('leaves out %s', (_name, text) => {
    expect(readText(text)).toEqual([]);
  });

  it.each([
    ['frames that may begin at any of its parentheses', '    at f', ' (/a:1:1) ', 'x'],
    ['frames with many positions', '    at f', ' (/:1:1', 'x'],
    ['a line of code that is all spaces', ' ', '  ', 'x'],
  ])('takes no time over text of a stranger: %s', (_, start, repeated, end) => {
    const line = `${start}${repeated.repeat(16_000 / repeated.length)}${end}`;
    const begun = process.threadCpuUsage();
    readText(['⨯ Error: Cannot read ', '    at f (/srv/shop/app/page.js:1:1)', ...Array(48).fill(line), ''].join('\n'));
    const { user, system } = process.threadCpuUsage(begun);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  it('takes no time over errors of a stranger with many causes', () => {
    const causes = 'Cause: A:\n'.repeat(380) + `${' '.repeat(960)}... 1 lines matching cause\n`.repeat(10);
    const errs = Array.from({ length: 18 }, (_, at) => ({
      message: `m${at}`,
      digest: `${1_000_000_000 + at}`,
      stack: `Error: x${at}\n    at a (b:1:1)\n${causes}`,
    }));
    const line = `${JSON.stringify({ level: 50, body: { errs } })}\n`;
    const begun = process.threadCpuUsage();
    expect(readText(line.repeat(4))).toHaveLength(4 * errs.length);
    const { user, system } = process.threadCpuUsage(begun);
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  it.each([
    ['of an object', inspect({ name: 'nginx', digest: 'sha256-4f53cda18c2b' })],
    ['of a text', 'webhook body digest: "abcdef1234" ok'],
    ['of a line of JSON', JSON.stringify({ level: 'error', msg: 'pulled', digest: 'sha256:4f53' })],
    ['of a line that says all is well', JSON.stringify({ level: 30, msg: 'sent', digest: '2338734591' })],
    ['of one of ECS', JSON.stringify({ log: { level: 'info' }, message: 'sent', digest: '2338734591' })],
  ])('makes no error of what an app calls a digest: %s', (_, line) => {
    expect(readText(`GET / 200\n${line}\n${error}`).map(({ digest }) => digest)).toEqual(['943353745']);
  });

  it('takes an error with a stack from a line of JSON, whatever its level and its digest', () => {
    const err = { message: 'no order', stack: 'Error: no order\n    at load (a.js:1:2)', digest: 'TRI7' };
    expect(readText(`${JSON.stringify({ level: 30, err })}\n`)).toMatchObject([
      { digest: 'TRI7', message: 'no order' },
    ]);
  });

  it('leaves what stands in an error’s message and in its properties to it', () => {
    const thrown = (message: string, properties: object) => {
      const made = Object.assign(new Error(message), properties, { digest: '943353745' });
      made.stack = `Error: ${message}\n    at load (.next/server/a.js:1:2)`;
      return readText(`⨯ ${inspect(made)}\n`).map(({ digest, message: told }) => [digest, told]);
    };
    const answered = 'Upstream answered 500:\n{"digest": "5555512345", "message": "x"}';
    const lines = 'Line one\nline two says {"digest": "1234567890"}\n  digest: \'999\'';
    for (const text of [answered, lines]) expect(thrown(text, {})).toEqual([['943353745', text]]);
    const response = { data: `no\n  digest: '1234567'\n${'x'.repeat(90)}` };
    expect(thrown('no answer', { response })).toEqual([['943353745', 'no answer']]);
  });

  it.each([
    ['a digest as Next.js 14 adds it', 'x\ndigest: "9998887776"'],
    ['a stack with properties', "x\n    at x (/a/z.js:1:1) {\n  digest: '9998887776'\n}"],
    ['properties', "x {\n  digest: '9998887776'\n}"],
  ])('leads its digest to the error whose message has %s in it', (_, text) => {
    const errors = readText(error.replace('no order', `no order of ${text}`));
    expect(errors.map(({ digest }) => digest)).toEqual(['943353745']);
    expect(errors[0]).toMatchObject({ message: `no order of ${text}`, frames: [{ fn: 'load' }] });
  });

  const flow = "digest: 'NEXT_REDIRECT;push;/;307;'";

  it.each([
    ['a digest', "x\n    at f (a.js:1:1)\ndigest: '2338734591',"],
    ['a name and a cause', "x\n    at f (a.js:1:1)\ndigest: '2338734591',\nname: 'Zzz',\n[cause]: Error: made up"],
    ['a redirect', `x\n    at f (a.js:1:1)\n${flow},`],
    ['properties', "x\n    at f (a.js:1:1) {\n  digest: '2338734591',\n}"],
  ])('takes nothing of an error from its cause’s message, where that has %s', (_, text) => {
    for (const digest of ['1111111111', undefined]) {
      const cause = new Error(text);
      const thrown = Object.assign(new Error('order failed', { cause }), digest === undefined ? {} : { digest });
      thrown.stack = 'Error: order failed\n    at load (.next/server/a.js:1:2)';
      const [first] = readText(`⨯ ${inspect(thrown)}\nGET / 200\n`);
      expect(first).toMatchObject({ name: 'Error', message: 'order failed', frames: [{ fn: 'load' }] });
      expect(first?.digest).toBe(digest);
    }
  });

  it.each([
    ['a redirect below it', `x\n${flow}`],
    ['a redirect in properties', `x\n    at f (a.js:1:1) {\n  ${flow}\n}`],
    ['a digest in properties', "x\n    at f (a.js:1:1) {\n  digest: '2338734591'\n}"],
    ['an empty line', `x\n    at f (a.js:1:1)\n${flow},\n`],
    ['a digest in JSON', '{"digest": "abc"}'],
  ])('tells an error without a digest whose message has %s', (_, text) => {
    const stack = `Error: bad input: ${text}\n    at GET (.next/server/app/api/x/route.js:1:1)`;
    for (const mark of ['⨯ ', '⨯ unhandledRejection: ', '']) {
      const [first] = readText(`${mark}${stack}\nGET / 200\n`);
      expect(first).toMatchObject({ message: `bad input: ${text}`, frames: [{ fn: 'GET' }] });
      expect(first?.digest).toBeUndefined();
    }
  });

  it('sends nothing that the receiver refuses, whatever looks like a code frame', () => {
    const lines = Array.from({ length: 80 }, (_, at) => `  ${at} | x`);
    const code = ['> 1 | x', ...lines].join('\n');
    for (const text of [code, '> 99999999999999999999 | x']) {
      const errors = readText(`⨯ Error: x\n    at f (a.js:1:1)\n${text}\nbye\n`);
      const body = new TextEncoder().encode(JSON.stringify({ errors }));
      expect(readAppErrors(body)).toMatchObject({ type: 'read' });
    }
  });

  it('cuts what is too long to be sent', () => {
    const [found] = readText(
      `⨯ Error: ${'long '.repeat(2_000)}\n${`${'y'.repeat(15_000)}\n`.repeat(45)}    at f (a.js:1:1)\n`,
    );
    expect(JSON.stringify(found).length).toBeLessThan(100_000);
    expect(found?.frames).toHaveLength(1);
  });

  it('tells what says something else than Next.js printed with its digest, without a stack too', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const errors: AppError[] = [];
    const reader = createAppLogReader((found) => errors.push(found), { root: '/srv/shop' });
    const print = (text: string) => {
      reader.write(Buffer.from(text));
      reader.end();
    };
    print("⨯ Error: made up here\n    at x (a.js:1:1) {\n  digest: '943353745'\n}\n");
    vi.advanceTimersByTime(5_000);
    print(`${JSON.stringify({ err: { message: 'the real one', digest: '943353745' } })}\n`);
    print(`${JSON.stringify({ err: { message: 'a page: made up here', digest: '943353745' } })}\n`);
    vi.advanceTimersByTime(5_000);
    print("digest: '943353745' was shown\n");
    expect(errors.map(({ message }) => message)).toEqual(['made up here', 'the real one']);
  });

  it('goes on after what it left out', () => {
    const noise = '⨯ Error: no stack follows\nplain text\n';
    expect(readText(noise + error + 'GET /x 200\n' + error)).toHaveLength(2);
    expect(readText(`⨯ Error: ${'long '.repeat(20_000)}\n${'line\n'.repeat(500)}${error}`)).toHaveLength(1);
    const [long, next] = readText(`⨯ Error: a\n${'    at f (x.js:1:1)\n'.repeat(1_000)}${error}`);
    expect(long?.frames).toHaveLength(50);
    expect(next?.digest).toBe('943353745');
  });

  it.each([
    ['Error [QueryError]', 'QueryError'],
    ['TypeError [ERR_INVALID_ARG_TYPE]', 'TypeError'],
    ['Error [E1]', 'Error'],
    ['RangeError', 'RangeError'],
  ])('reads the class of %s', (printed, name) => {
    expect(readText(error.replace('⨯ Error', `⨯ ${printed}`))[0]?.name).toBe(name);
  });

  it('maps the frames of a cause as those of the error', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'flight-log-'));
    writeFileSync(path.join(root, 'load.js'), 'export function load() {\n  throw new Error();\n}\n');
    const errors: AppError[] = [];
    const reader = createAppLogReader((found) => errors.push(found), { root });
    const cause = '\n  [cause]: Error [DbError]: refused\n      at load (load.js:2:9)\n}\n';
    reader.write(Buffer.from(error.replace("745'\n}\n", `745',${cause}`)));
    reader.end();
    rmSync(root, { recursive: true });
    expect(errors[0]?.causes?.[0]).toMatchObject({
      name: 'DbError',
      message: 'refused',
      frames: [{ fn: 'load', source: 'load.js', line: 2, inApp: true }],
    });
  });

  it('shows no lines of a file that came after the app', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'flight-log-'));
    writeFileSync(path.join(root, 'load.js'), 'export function load() {\n  throw new Error();\n}\n');
    const there = statSync(path.join(root, 'load.js')).ctimeMs;
    const errors: AppError[] = [];
    let startedAt: Running['startedAt'] = 'remade';
    const options = { root, readStartedAt: () => startedAt };
    const reader = createAppLogReader((found) => errors.push(found), options);
    for (startedAt of [there - 1, there, 'remade', 'unknown'] as const) {
      reader.write(Buffer.from(error.replace('.next/server/a.js:1:2', 'load.js:2:9')));
      reader.end();
    }
    rmSync(root, { recursive: true });
    expect(errors.map(({ frames }) => frames?.[0]?.context !== undefined)).toEqual([false, true, true, false]);
  });

  it('takes the colours off', () => {
    const [found] = readText(
      error.replace('⨯', '\u001b[31m⨯\u001b[39m').replace("'943353745'", "\u001b[32m'943353745'\u001b[39m"),
    );
    expect(found).toMatchObject({ digest: '943353745', message: 'no order' });
  });

  it('reads an error without a stack, in brackets', () => {
    expect(readText("⨯ [Error: An error occurred] {\n  digest: '943353745'\n}\n")).toMatchObject([
      { name: 'Error', message: 'An error occurred', digest: '943353745', frames: [] },
    ]);
  });
});
