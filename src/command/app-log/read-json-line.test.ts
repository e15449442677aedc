import { expect, it } from 'vitest';

import type { AppError } from '#report/sender/app-error.ts';

import { createAppLogReader } from './create-app-log-reader.ts';

function readText(text: string): AppError[] {
  const errors: AppError[] = [];
  const reader = createAppLogReader((error) => errors.push(error), { root: '/srv/shop' });
  reader.write(Buffer.from(`${text}\n`));
  reader.end();
  return errors;
}

const message = "no stock\nfor 'x'";
const stack = `QueryError: ${message}\n    at b (/srv/shop/a.js:1:2)\n    at c (/srv/shop/page.js:3:4)`;
const digest = '1234567890';
const error = { type: 'QueryError', message, stack, digest };

it.each([
  ['pino', { level: 50, time: 1, pid: 3, err: error, msg: 'request failed' }],
  ['winston', { level: 'error', message, stack, digest, timestamp: 'today' }],
  ['bunyan', { name: 'shop', level: 50, err: { name: 'QueryError', message, stack, digest }, msg: 'failed', v: 0 }],
  ['ECS', { message: 'failed', error: { type: 'QueryError', message, stack_trace: stack, digest } }],
  ['arguments', { level: 'error', args: ['⨯', error] }],
  ['printed text', { level: 'error', msg: `⨯ ${stack} {\n  digest: '${digest}'\n}`, name: 'next.js' }],
])('reads an error from a line of JSON as of %s, with any prefix', (_, line) => {
  for (const prefix of ['', 'web-1  | ', 'web:start: ']) {
    expect(readText(`${prefix}${JSON.stringify(line)}`)).toMatchObject([
      { name: 'QueryError', message, digest, frames: [{ fn: 'b' }, { fn: 'c' }], causes: [] },
    ]);
  }
});

it('reads the cause', () => {
  const cause = { type: 'TypeError', message: 'inner', stack: 'TypeError: inner\n    at d (/srv/shop/d.js:1:1)' };
  expect(readText(JSON.stringify({ err: { ...error, cause } }))).toMatchObject([
    { name: 'QueryError', message, digest, causes: [{ name: 'TypeError', message: 'inner' }] },
  ]);
});

it('keeps a digest that it cannot read as the text that it stands in', () => {
  const deep = { a: { b: { c: { d: { e: { f: error } } } } } };
  const other = { err: error, other: { digest: '987654' } };
  expect(readText(JSON.stringify(deep))).toMatchObject([{ digest, message: expect.stringContaining('"f":{') }]);
  expect(readText(JSON.stringify(other)).map((one) => one.digest)).toEqual([digest, '987654']);
  expect(readText(JSON.stringify({ digest, code: 1 }))).toMatchObject([{ digest }]);
  expect(readText(`{ not JSON, digest: '${digest}' }`)).toMatchObject([{ digest }]);
});

it('loses no digest that stands in a text of the line, with JSON’s escapes or without', () => {
  const msg = 'x\n  digest: "987654"';
  for (const line of [{ err: error, msg }, { msg, err: error }, { msg }]) {
    expect(readText(JSON.stringify(line)).map((one) => one.digest)).toContain('987654');
  }
});

const told = { message: 'said by a visitor', stack: 'Error: said by a visitor\n    at v (/srv/shop/v.js:1:1)' };

it('reads what stands where the logger puts an error, whatever a visitor has sent before it', () => {
  const body = Array.from({ length: 1_500 }, (_, at) => ({ message: 'x', digest: `a${at}` }));
  const [first] = readText(JSON.stringify({ body, err: error }));
  expect(first).toMatchObject({ name: 'QueryError', digest, frames: [{ fn: 'b' }, { fn: 'c' }] });
});

it('tells some errors of a line, and not as many as a visitor has named in each of its texts', () => {
  const name = (text: number) => Array.from({ length: 20 }, (_, at) => `digest: 'b${text}-${at}'`).join(' ');
  const body = Array.from({ length: 19 }, (_, text) => `x ${name(text)}`);
  const errors = readText(JSON.stringify({ body, err: error }));
  expect(errors[0]?.digest).toBe(digest);
  expect(errors.length).toBeLessThanOrEqual(40);
});

it('reads each error of a line, and first what stands where the logger puts one', () => {
  const line = (of: string) =>
    JSON.stringify({ body: { ...told, digest: of }, msg: `${message} digest: '${of}'`, err: error });
  const messages = (of: string) => readText(line(of)).map((one) => [one.digest, one.message]);
  expect(messages('987654')).toEqual([
    [digest, message],
    ['987654', told.message],
  ]);
  expect(messages(digest)).toEqual([
    [digest, message],
    [digest, told.message],
  ]);
});

it('reads what stands under the logger’s key, and then what is an error, before any text', () => {
  const texts = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`x-${at}`, `Error: no digest: '${600_000 + at}'`]),
  );
  for (const rest of [{ exception: error }, { data: { headers: texts, err: error } }, { failed: error }]) {
    const [first] = readText(JSON.stringify({ headers: texts, body: { ...told, digest: '987654' }, ...rest }));
    const isNamed = !('failed' in rest);
    expect(first?.digest).toBe(isNamed ? digest : '987654');
    expect(readText(JSON.stringify({ headers: texts, ...rest }))[0]).toMatchObject({ digest, message });
  }
});

it('reads a long line, whichever comes first', () => {
  const request = { cookie: '"'.repeat(20_000) };
  expect(readText(JSON.stringify({ request, err: error }))).toMatchObject([{ digest, message }]);
  expect(readText(JSON.stringify({ err: error, request }))).toMatchObject([{ digest, message }]);
});

it('takes no time over many lines in a text', () => {
  const text = `⨯ Error: x\n  [errors]: [\n${'    E:\n'.repeat(1_990)}  digest: '${digest}'`;
  const begun = process.threadCpuUsage();
  for (let times = 0; times < 20; times += 1) readText(JSON.stringify({ msg: text }));
  const { user, system } = process.threadCpuUsage(begun);
  expect((user + system) / 1_000 / 20).toBeLessThan(50);
});

it('takes control flow and lines without a digest for no errors', () => {
  expect(readText(JSON.stringify({ err: { ...error, digest: 'NEXT_REDIRECT;replace;/a;307;' } }))).toEqual([]);
  expect(readText(JSON.stringify({ err: { ...error, digest: undefined } }))).toEqual([]);
});
