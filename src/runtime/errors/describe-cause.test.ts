import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from 'vitest';

import { describeCause } from './describe-cause.ts';
import { recallCause, rememberCause } from './dev-causes.ts';

const red = '\u001b[31m';
const plain = '\u001b[0m';

test('the message, the stack and the code frame of a compiler are shown without its colours', () => {
  const error = Object.assign(new SyntaxError(`${red}Unexpected${plain} token`), {
    stack: `SyntaxError: ${red}Unexpected${plain} token\n    at a (b.ts:1:2)`,
    id: '/app/page.tsx',
    loc: { line: 3, column: 4 },
    frame: `${red}3 |${plain} return ((`,
  });
  expect(describeCause(error)).toEqual({
    title: 'SyntaxError: Unexpected token',
    place: { file: '/app/page.tsx', line: 3, column: 4 },
    frame: '3 | return ((',
    stack: 'SyntaxError: Unexpected token\n    at a (b.ts:1:2)',
  });
});

test.each<[unknown, string]>([
  ['only text', 'thrown string: only text'],
  [undefined, 'thrown undefined'],
  [{ message: 7 }, 'thrown object'],
  [new TypeError(''), 'TypeError'],
])('%o is shown, whatever it is', (thrown, title) => {
  expect(describeCause(thrown)).toMatchObject({ title, place: undefined, frame: undefined });
});

test('a getter that throws takes nothing but itself away', () => {
  const error = Object.assign(new RangeError('x'), { stack: 'RangeError: x' });
  Object.defineProperty(error, 'message', { get: () => JSON.parse('{') });
  expect(describeCause(error)).toMatchObject({ title: 'RangeError', stack: 'RangeError: x' });
});

test('a style sheet’s error says its place in the message, and the server draws the lines around it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cause-'));
  const file = path.join(folder, 'a.css');
  try {
    writeFileSync(file, 'a {}\nb {}\nc }\nd {}\ne {}\nf {}\n');
    rememberCause('0000000001', new Error(`${file}:3:3: Missing opening {`));
    expect(recallCause('0000000001')).toMatchObject({
      place: { file, line: 3, column: 3 },
      frame: ['  1 | a {}', '  2 | b {}', '> 3 | c }', '    |   ^', '  4 | d {}', '  5 | e {}'].join('\n'),
    });
    rememberCause('0000000002', new Error(`${file}.gone:3:3: Missing opening {`));
    expect(recallCause('0000000002')).toMatchObject({ place: { line: 3 }, frame: undefined });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the newest fifty causes are remembered', () => {
  for (let n = 0; n < 60; n += 1) rememberCause(`digest-${n}`, new Error(String(n)));
  expect(recallCause('digest-9')).toBeUndefined();
  expect(recallCause('digest-10')?.title).toBe('Error: 10');
  expect(recallCause(undefined)).toBeUndefined();
});
