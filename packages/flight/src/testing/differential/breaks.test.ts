import { describe, expect, test } from 'vitest';

import { analyzeFlight } from '../../analysis.ts';
import { decodeFlight } from '../../decode-flight.ts';
import { readRow } from '../../row.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { describeWithReact } from './responses.ts';

const encoder = new TextEncoder();

/** What is said of a broken payload is what React's client makes of the rows around the break. */
const found = { promise: 'here' };
const lost = { rejected: { digest: null } };

describe.each(lineNames)('React %s', (name) => {
  const line = loadLine(name, 'production');

  test.each([
    ['a model', '1:{"a":1,}\n', [lost, found], 'throws where this row is used'],
    [
      'a stream’s item',
      '1:R\n1:{\n1:C\n',
      [{ promise: { stream: 'failed', error: { digest: null } } }, found],
      'is used',
    ],
    ['a module', '1:I["m",\n', [lost, lost], 'throws here'],
    ['an error', '1:E{digest}\n', [lost, lost], 'throws here'],
    ['a hint', '1:"here"\n:HL[\n', [found, lost], 'throws here'],
    ['an id', '1:"here"\nA:"x"\n', [found, found], 'does not check this'],
    ['a blank line', '\n1:"here"\n', [lost, found], 'the next row’s id'],
    ['a blank line of Windows', '\r\n1:"here"\n', [lost, found], 'the next row’s id'],
  ])('after the break of %s', async (_, rows, theirs, advice) => {
    const bytes = encoder.encode(`0:["$@1","$@2"]\n${rows}2:"here"\n`);
    expect(await describeWithReact(bytes, line)).toEqual({ promise: { array: theirs } });
    const flight = decodeFlight(bytes);
    expect(flight.state.kind).toBe('malformed');
    const finding = analyzeFlight(flight).findings.find(({ kind }) => kind === 'malformed');
    expect(finding?.advice).toContain(advice);
  });

  test('line ends after the last row are nothing', async () => {
    const bytes = encoder.encode('0:["$@1"]\n1:"here"\n\n\r\n');
    expect(await describeWithReact(bytes, line)).toEqual({ promise: { array: [found] } });
    expect(decodeFlight(bytes).state).toEqual({ kind: 'complete' });
  });
});

test('rows after a blank line are read', () => {
  const flight = decodeFlight(encoder.encode('\n\r\n0:["$1"]\n\n1:"one"\n2:T3,abc\n3:"x"\n'));
  expect(flight.state).toMatchObject({ kind: 'malformed', at: 0 });
  expect(Array.from({ length: flight.rows.count }, (_, row) => readRow(flight, row).id)).toEqual([0, 1, 2, 3]);
  expect(flight.root).toBe(0);
});

test('blank lines before one row are passed over up to a limit, so that its id is soon found', () => {
  const flight = decodeFlight(encoder.encode(`0:1\n${'\n'.repeat(101)}1:2\n`));
  expect(flight.state).toMatchObject({ kind: 'malformed', at: 104 });
  expect(flight.rows.count).toBe(1);
});
