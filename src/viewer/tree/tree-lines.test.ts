import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { openTreeFirst, readTreeLines } from './tree-lines.ts';

const payload = [
  '1:I["m.js",[],"Counter"]',
  '0:{"root":["$","main",null,{"children":[["$","$L1","a",{"start":3}],["$","$2",null,{"fallback":["$","i",null,{}],"children":"$L3"}]]}],"_buildId":"x"}',
  '2:"$Sreact.suspense"',
  '3:["$","p",null,{"children":"late"}]',
  '',
].join('\n');

const flight = decodeFlight(new TextEncoder().encode(payload));

function show(came: number): string[] {
  return readTreeLines(flight, came, openTreeFirst(flight)).map((line) => {
    const text = line.kind === 'waiting' ? `waiting ${line.id}` : line.label;
    return `${'  '.repeat(line.depth)}${line.name ? `${line.name}: ` : ''}${text}`;
  });
}

it('shows the whole tree at the end, references followed', () => {
  expect(show(4)).toEqual([
    '{root, _buildId}',
    '  root: <main>',
    '    <Counter key="a" start={3}>',
    '    <Suspense fallback={<i>}>',
    '      fallback: <i>',
    '      <p>',
    '        "late"',
    '  _buildId: "x"',
  ]);
});

it('shows what waits for a row before the row has come', () => {
  expect(show(3)).toContain('      waiting 3');
  expect(show(3)).not.toContain('        "late"');
});

it('shows nothing before the root has come', () => {
  expect(show(1)).toEqual([]);
});

it('is as deep as it was opened when references go round', () => {
  const round = decodeFlight(new TextEncoder().encode('0:{"a":"$1"}\n1:{"b":"$0"}\n'));
  expect(readTreeLines(round, 2, openTreeFirst(round)).length).toBeLessThan(100);
});

it('opens the way to what came later, however deep it is', () => {
  const deep = `${'["$","div",null,{"children":['.repeat(20)}"$L1"${']}]'.repeat(20)}`;
  const siblings = Array.from({ length: 60 }, (_, index) => `["$","li","${index}",{"children":"x"}]`).join(',');
  const late = decodeFlight(new TextEncoder().encode(`0:[${siblings},${deep}]\n1:"late"\n`));
  const lines = readTreeLines(late, 1, openTreeFirst(late));
  expect(lines.filter(({ kind }) => kind === 'waiting')).toHaveLength(1);
});
