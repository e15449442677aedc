import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { AppError } from '#report/sender/app-error.ts';

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
      // Only marked where Next prints it.
      ...(name.startsWith('next-15') ? [] : [['Error', 'route handler failed']]),
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

describe.each([
  ['next-15-action', 'the action failed'],
  ['next-16-action', 'orders could not be read'],
])('an action without JavaScript, in the output of %s', (name, message) => {
  it('is one error, though Next prints it twice', () => {
    expect(readAll(readFixture(name))).toMatchObject([{ message, digest: undefined }]);
    expect(readAll(Buffer.concat([readFixture(name), readFixture(name)]))).toHaveLength(2);
  });
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
