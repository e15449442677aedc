import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { createAppLogReader } from './create-app-log-reader.ts';

/** What tools put before a line; a digit is that of its time. */
const prefixes: Readonly<Record<string, (digit: number) => string>> = {
  'docker compose': () => 'web-1  | ',
  'kubectl logs': () => '[pod/web-7d9f8b-x2x/app] ',
  stern: () => 'web-7d9f8b-x2x app ',
  journald: (digit) => `Nov 28 01:02:0${digit} host next[123]: `,
  pm2: (digit) => `0|shop  | 2026-11-28T01:02:0${digit}: `,
  heroku: (digit) => `2026-11-28T01:02:03.12345${digit}+00:00 app[web.1]: `,
  foreman: (digit) => `01:02:0${digit} web.1  | `,
  concurrently: () => '[web] ',
  'pnpm -r': () => 'apps/web start: ',
  turbo: () => '@acme/web:start: ',
  'a table of words': () => 'web\t',
  'a line from top to bottom': () => 'web │ ',
  'a level': () => 'ERROR ',
  'a level in brackets': () => '[ERROR] ',
  'a level with a colon': () => 'error: ',
};
const outputs = ['14', '15', '16'].flatMap((version) => [`next-${version}-start`, `next-${version}-dev`]);

function readErrors(text: string): string[] {
  const errors: string[] = [];
  const reader = createAppLogReader(
    ({ name, message, digest, causes }) => errors.push([name, message, digest, causes?.[0]?.name].join(' · ')),
    { root: '/srv/shop' },
  );
  reader.write(Buffer.from(text));
  reader.end();
  return errors;
}

const beginsError = /^\s*⨯|^(?:Type)?Error: /;

it.each(Object.entries(prefixes))('reads the same errors behind a prefix as of %s', (_, prefix) => {
  for (const output of outputs) {
    const text = readFileSync(path.join(import.meta.dirname, `fixtures/${output}.txt`), 'utf8').trimEnd();
    const lines = text.split('\n');
    const plain = readErrors(text);
    expect(plain.length).toBeGreaterThan(3);
    const before = (line: string, index: number) => `${prefix(index % 10)}${line}`;
    expect(readErrors(lines.map(before).join('\n')), `${output}, each line`).toEqual(plain);
    // A logger marks each text, not each line.
    const first = lines.map((line, index) => (beginsError.test(line) ? before(line, index) : line));
    expect(readErrors(first.join('\n')), `${output}, the first line`).toEqual(plain);
    expect(readErrors(first.map((line) => `api-1  | ${line}`).join('\n')), `${output}, both`).toEqual(plain);
  }
});

it('leaves lines of another app out of a message whose logger marks its first line', () => {
  const own = [
    '[ERROR] ⨯ Error: first line',
    'second line',
    '    at b (/srv/shop/a.js:1:2) {',
    "  digest: '12345678'",
    '}',
  ];
  const mixed = own.flatMap((line) => [`web-1  | ${line}`, 'api-1  | hello']);
  expect(readErrors(mixed.join('\n'))).toEqual(['Error · first line\nsecond line · 12345678 · ']);
});

it('takes the text above a stack for its message, also with empty lines between', () => {
  const lines = [' ERROR  no stock', '', '    at b (/srv/shop/a.js:1:2) {', "  digest: '12345678'", '}'];
  expect(readErrors(lines.join('\n'))).toEqual(['Error · ERROR  no stock · 12345678 · ']);
});

it('keeps errors apart that are printed at once, where a logger marks the first line of one', () => {
  const frame = (file: string) => `    at b (/srv/shop/${file}.js:1:2) {`;
  const lines = [
    '[ERROR] ⨯ Error: bare',
    'web-1  | ⨯ Error: prefixed',
    frame('bare'),
    `web-1  | ${frame('prefixed')}`,
    "web-1  |   digest: '22222222'",
    "  digest: '11111111'",
    'web-1  | }',
    '}',
  ];
  expect(readErrors(lines.join('\n')).toSorted()).toEqual([
    'Error · bare · 11111111 · ',
    'Error · prefixed · 22222222 · ',
  ]);
});

it.each([
  ["{ digest: '22222222', msg: '⨯ failed' }"],
  ['{"level":50,"digest":"22222222","msg":"⨯ Error: x"}'],
  ["[digest: '22222222']     at f (a:1:1)"],
  ["x ⨯ { digest: '22222222' } ⨯ y"],
])('loses no digest that stands before a mark or a frame: %s', (line) => {
  expect(readErrors(`hello\n${line}\nhello`).map((one) => one.includes('22222222'))).toEqual([true]);
});

it('takes a mark in a property or in a line of code for none of an error', () => {
  const lines = [
    '⨯ Error: first',
    '    at b (/srv/shop/a.js:1:2)',
    "> 5 | console.log('⨯ failed')",
    '    | ^ {',
    "  note: 'x ⨯ y',",
    "  digest: '11111111'",
    '}',
  ];
  expect(readErrors(lines.join('\n'))).toEqual(['Error · first · 11111111 · ']);
});

it('leaves the stack of a process without a prefix to its own error', () => {
  const lines = [
    'web: ⨯ Error: first',
    'Error: second',
    '    at b (/srv/b.js:1:1) {',
    'web:     at a (/srv/shop/a.js:1:1) {',
    "web:   digest: '11111111'",
    'web: }',
    "  digest: '22222222'",
    '}',
  ];
  expect(readErrors(lines.join('\n')).toSorted()).toEqual([
    'Error · first · 11111111 · ',
    'Error · second · 22222222 · ',
  ]);
});

it.each([
  'visitor said: x\nError: EVIL TEXT\n    at me\n    at    at x (a:1:1)',
  '  digest:    at x (a:1:1)',
  'digest:    at x (a:1:1)',
  '} y\n}    at x (a:1:1)',
])('takes no line of an error for a visitor’s text whose prefix is a part of one: %j', (text) => {
  const real = "⨯ Error: real\n    at real (/srv/x.js:10:5) {\n  digest: '22222222'\n}";
  const behind = "  digest: '99999999',\n  name: 'EvilError',\n  [cause]: Error: evil cause";
  const errors = readErrors(`${text}\n${real}\n${behind}`);
  expect(errors.filter((error) => error.includes('22222222'))).toEqual(['Error · real · 22222222 · ']);
});

it.each([
  ['no end', [`x${' [a: ] {'.repeat(2_000)} digest: '1' x`]],
  // A pattern's dot stops at U+2028.
  ['an end of properties', [`x digest: '1'${' [$: '.repeat(1_500)}${'] { '.repeat(1_500)}\u2028[$] { }`]],
  ['many ends in each line', ['⨯ [Error: x', ...Array(60).fill(`${'] {}'.repeat(4_000)} x`), ']']],
])('takes as long for hostile lines as for others of their length: %s', (_, lines) => {
  const line = lines.join('\n');
  const usual = line.replaceAll(/[[\]{}]/g, '-');
  const measure = (text: string) => {
    const before = process.cpuUsage();
    readErrors(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  measure(usual);
  // It took seconds. A coarse clock may say nothing of the other.
  expect(measure(line)).toBeLessThan(50 * Math.max(measure(usual), 5_000));
});

const ownStack = "    at own (.next/server/app/page.js:1:200) {\n  digest: '1234567890'\n}\n";

it.each([
  ['properties', `x\n    at x (a.js:1:1) {\n${'  yyy\n'.repeat(900)}`],
  ['frames', `x\n${'    at x (a.js:1:1)\n'.repeat(450)}`],
  ['more frames than are kept in any case', `x\n${'    at x (a.js:1:1)\n'.repeat(2_000)}`],
])('loses no digest behind a message that has lines as of an error’s %s', (_, said) => {
  expect(readErrors(`⨯ Error: ${said}${ownStack}`)).toEqual([expect.stringMatching(/^Error · x.* · 1234567890 · $/s)]);
});

it('takes no line for a frame that is longer than one can be, so that an error has room where it is sent', () => {
  const told: string[] = [];
  const reader = createAppLogReader((error) => told.push(JSON.stringify(error)), { root: '/srv/shop' });
  const long = `    at ${'y'.repeat(16_000)} (a.js:1:1)\n`;
  reader.write(Buffer.from(`⨯ Error: x\n${long.repeat(50)}${ownStack}`));
  reader.end();
  expect(told.map((json) => json.length < 300_000 && json.includes('"digest":"1234567890"'))).toEqual([true]);
});

it('reads a list of errors in brackets that never end in milliseconds', () => {
  const open = `    [Error: a${' b'.repeat(200)}]\n      a${' c'.repeat(200)}\n`;
  const text = `⨯ AggregateError: x\n${ownStack.replace('}\n', `  [errors]: [\n${open.repeat(150)}  ]\n}\n`)}`;
  const from = process.cpuUsage();
  for (let at = 0; at < 20; at += 1) expect(readErrors(text)[0]).toContain('1234567890');
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000 / 20).toBeLessThan(50);
});

it('takes the last frames for those of the error, and frames in its message with properties behind them for text', () => {
  const errors: string[] = [];
  const reader = createAppLogReader(
    ({ message, stack, digest }) => errors.push(`${digest} ${message}`, stack ?? ''),
    {},
  );
  reader.write(Buffer.from(`⨯ Error: x\n    at fake (app/echo/page.js:2:30) {\n  foo: 'bar'\n${ownStack}`));
  reader.end();
  expect(errors[0]).toMatch(/^1234567890 x\n {4}at fake/);
  expect(errors[1]).toMatch(/\n {4}at own \(\.next\/server\/app\/page\.js:1:200\)$/);
});

it.each([70, 3_000])('reads an error with a message of %s lines, of which the first are kept', (count) => {
  const message = Array.from({ length: count }, (_, at) => `z${at}`).join('\n');
  const without = `⨯ Error: ${message}\n    at own (.next/server/app/page.js:1:200)\n`;
  for (const [text, digest] of [
    [`⨯ Error: ${message}\n${ownStack}`, '1234567890'],
    [without, ''],
  ] as const) {
    expect(readErrors(text)).toEqual([expect.stringMatching(new RegExp(`^Error · z0\nz1\n[^]*z59 · ${digest} · $`))]);
  }
});

it('looks through a line that is nearly a frame in many ways in microseconds, however many blocks are open', () => {
  const heads = Array.from({ length: 16 }, (_, at) => `${String.fromCharCode(97 + at)}] ⨯ Error: x\n`).join('');
  const line = `x${' '.repeat(40)}at y${' '.repeat(40)}at y${':111111111'.repeat(98)}x\n`;
  const from = process.cpuUsage();
  readErrors(heads + line.repeat(500));
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(1_500);
});
