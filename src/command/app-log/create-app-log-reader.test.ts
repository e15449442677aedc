import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import type { AppError } from '#src/sender/app-error.ts';

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
  });

  it.each([
    ['a line of the app', 'Error: something that the app printed\n    at f (/srv/shop/a.js:1:1)\n'],
    ['Next’s own complaints', ' ⨯ Failed to patch lockfile\n[TypeError: Cannot read properties]\n'],
    ['a mark without an error', '⨯ Error: text without a stack\nsomething else\n'],
    ['a request', ' GET /boom 500 in 364ms\n'],
  ])('leaves out %s', (_name, text) => {
    expect(readText(text)).toEqual([]);
  });

  it('goes on after what it left out', () => {
    const noise = '⨯ Error: no stack follows\nplain text\n';
    expect(readText(noise + error + 'GET /x 200\n' + error)).toHaveLength(2);
    expect(readText(`⨯ Error: ${'long '.repeat(20_000)}\n${'line\n'.repeat(500)}${error}`)).toHaveLength(1);
    const [long, next] = readText(`⨯ Error: a\n${'    at f (x.js:1:1)\n'.repeat(1_000)}${error}`);
    expect(long?.frames).toHaveLength(50);
    expect(next?.digest).toBe('943353745');
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
