import { describe, expect, it } from 'vitest';

import { decodeFlight, type Flight } from '#flight';

import { createOutlineReader, openTo, type OpenNodes } from '../outline.ts';
import { createOutlineSearch } from '../outline-search.ts';
import { findArrival, openTreeFirst } from './tree-open.ts';
import { createTreeSource, printNode, readNodePlace, readNodeText, readOrigin } from './tree-source.ts';

function decode(text: string): Flight {
  return decodeFlight(new TextEncoder().encode(text));
}

const page = [
  '1:I["m.js",[],"Counter"]',
  '0:{"root":["$","main",null,{"children":[["$","$L1","a",{"start":3}],["$","$2",null,{"fallback":["$","i",null,{}],"children":"$L3"}]]}],"_buildId":"x"}',
  '2:"$Sreact.suspense"',
  '3:["$","p",null,{"children":"late"}]',
  '',
].join('\n');

const flight = decode(page);

function show(shown: Flight, came = shown.rows.count, open: OpenNodes = openTreeFirst(shown)): string[] {
  return createOutlineReader(createTreeSource(shown, came))(open).map((line) =>
    line.kind === 'more'
      ? `${'  '.repeat(line.depth)}… ${line.to - line.from}`
      : `${'  '.repeat(line.depth)}${line.name === undefined ? '' : `${line.name}: `}${printNode(line.node)}`,
  );
}

describe('the tree', () => {
  it('is whole at the end, references followed', () => {
    expect(show(flight)).toEqual([
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

  it('waits for a row before the row has come', () => {
    expect(show(flight, 3)).toContain('      waiting for row 3');
    expect(show(flight, 3)).not.toContain('        "late"');
  });

  it('is empty before the root has come', () => {
    expect(show(flight, 1)).toEqual([]);
  });

  it('is as deep as it was opened when references go round', () => {
    expect(show(decode('0:{"a":"$1"}\n1:{"b":"$0"}\n')).length).toBeLessThan(100);
  });

  it('goes through the Map in which Next.js keeps the page', () => {
    const next = decode('0:{"b":"id","t":"$Q1"}\n1:[["children",["$","main",null,{"children":"the page"}]]]\n');
    expect(show(next)).toEqual(['{b, t}', '  b: "id"', '  t: Map(1)', '    "children": <main>', '      "the page"']);
  });
});

describe('the props of an element', () => {
  const long = 'x'.repeat(31);
  it.each([
    ['are in its line when there is room', '{"title":"a","n":1,"children":"c"}', ['<p title="a" n={1}>', '  "c"']],
    [
      'have a line when one is long',
      `{"title":"${long}","children":"c"}`,
      [`<p title="${'x'.repeat(29)}…">`, '  props: {title}', '  "c"'],
    ],
    ['have a line when one is an object', '{"style":{"color":"red"}}', ['<p style={{…}}>', '  props: {style}']],
    [
      'have a line when there are six',
      '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}',
      ['<p a={1} b={1} c={1} d={1} e={1} …>', '  props: {a, b, c, d, e, …}'],
    ],
    [
      'have their own lines when they hold elements',
      '{"icon":["$","i",null,{}],"list":[["$","b",null,{}]]}',
      ['<p icon={<i>} list={Array(1)}>', '  icon: <i>', '  list: Array(1)', '    <b>'],
    ],
    ['may be a reference', '"$1"', ['<p>', '  props: {a}', '    a: 1']],
    ['may be none', 'null', ['<p>']],
  ])('%s', (_, props, expected) => {
    const element = decode(`0:["$","p",null,${props}]\n1:{"a":1}\n`);
    const open = openTreeFirst(element);
    const lines = show(element, 2, open.has('0') ? open : openTo(createTreeSource(element, 2), open, '0.0'));
    expect(lines.map((line) => line.replace('    0: <b>', '    <b>'))).toEqual(expected);
  });

  it('with what is no prop', () => {
    const element = decode('1:I["m",[],"Chart"]\n0:["$","$L1",null,{"data":{"a":1}}]\n');
    const lines = show(element, 2, openTo(createTreeSource(element, 2), openTreeFirst(element), '0.0.0'));
    expect(lines).toEqual(['<Chart data={{…}}>', '  props: {data}', '    (type): client Chart', '    data: {a}']);
  });

  it('with a long key', () => {
    const key = 'k'.repeat(21);
    const element = decode(`0:["$","p","${key}",{"children":"c"}]\n`);
    const lines = show(element, 1, openTo(createTreeSource(element, 1), openTreeFirst(element), '0.0.0'));
    expect(lines.slice(1)).toEqual(['  props: {key}', `    key: "${key}"`, '  "c"']);
  });
});

describe('openTreeFirst', () => {
  const router = (state: string) =>
    decode(
      `0:{"q":"","i":false,"S":true,"t":{"t":{"s":"","d":{"r":["$","main",null,{"children":[["$","p",null,{}],"a","b"]}]}}},"r":null,"b":"id"${state}}\n`,
    );

  it('folds what leads to no element beside what does, in Next.js’s router, and not within an element', () => {
    expect(show(router(''))).toEqual([
      '{q, i, S, t, r, …}',
      '  … 3',
      '  t: {t}',
      '    t: {s, d}',
      '      s: ""',
      '      d: {r}',
      '        r: <main>',
      '          <p>',
      '          "a"',
      '          "b"',
      '  … 2',
    ]);
  });

  it('does not open a folded part because something in it is late', () => {
    const late = `0:{"q":"","i":false,"S":true,"t":{"t":{"s":"","d":{"r":["$","main",null,{}]}}},"r":"$L1","b":"id"}\n1:{"n":1}\n`;
    expect(show(decode(late)).at(-1)).toBe('  … 2');
    const inPage = late.replace('"main",null,{}', '"main",null,{"children":"$L1"}');
    expect(show(decode(inPage))).toContain('          {n}');
  });

  it('folds nothing in what an action answers, nor in another framework’s, nor where there is no element', () => {
    expect(show(decode('0:{"a":"result","q":"","i":true,"f":"","b":"id"}\n'))).toHaveLength(6);
    expect(show(decode('0:{"a":"result","x":1,"q":"","i":true,"f":[["$","p",null,{}]],"b":"id"}\n'))).toContain(
      '  a: "result"',
    );
    expect(show(decode('0:{"a":1,"b":2,"c":["$","p",null,{}]}\n'))).toContain('  a: 1');
    expect(show(decode('0:{"q":"","i":false,"S":true,"r":null,"b":"id","t":null}\n'))).toHaveLength(7);
  });

  it('opens the way to what came later, however deep it is', () => {
    const deep = `${'["$","div",null,{"children":['.repeat(20)}"$L1"${']}]'.repeat(20)}`;
    const siblings = Array.from({ length: 60 }, (_, index) => `["$","li","${index}",{"children":"x"}]`).join(',');
    const late = decode(`0:[${siblings},${deep}]\n1:"late"\n`);
    expect(show(late, 1).filter((line) => line.includes('waiting'))).toHaveLength(1);
  });

  it('says how many of a long list are not shown', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => `["$","li","${index}",{}]`).join(',');
    const list = decode(`0:["$","ul",null,{"children":[${items}]}]\n`);
    expect(show(list)).toHaveLength(202);
    expect(show(list).at(-1)).toBe('  … 9800');
  });
});

describe('what has come', () => {
  it('is found by the row that brought it', () => {
    const source = createTreeSource(flight, 4);
    const lines = createOutlineReader(source)(openTreeFirst(flight));
    expect(findArrival(flight, source, lines, 3)).toBe('0.0.1.1');
    expect(findArrival(flight, source, [], 3)).toBe('0.0.1.1');
    expect(findArrival(flight, source, lines, 4)).toBeUndefined();
  });
});

describe('search', () => {
  function find(shown: Flight, text: string): string[] {
    const source = createTreeSource(shown, shown.rows.count);
    const { found, advance } = createOutlineSearch(
      source,
      (node, name) => name?.includes(text) === true || readNodeText(node).includes(text),
    );
    advance(Infinity);
    return [...found];
  }

  it.each([
    ['an element', 'Counter', 1],
    ['a prop in an element’s line', 'start', 1],
    ['text that came late', 'late', 1],
    ['a key', '_build', 1],
    ['nothing', 'nowhere', 0],
  ])('finds %s', (_, text, count) => {
    expect(find(flight, text)).toHaveLength(count);
  });

  it.each([
    ['a Map’s key', '0:"$Q1"\n1:[["needle",1]]\n'],
    ['a Map’s value', '0:"$Q1"\n1:[[{"k":1},"needle"]]\n'],
    ['a Set', '0:"$W1"\n1:["needle"]\n'],
    ['FormData', '0:"$K1"\n1:[["a","needle"]]\n'],
    ['a promise', '0:"$@1"\n1:"needle"\n'],
    ['an iterator', '0:"$i1"\n1:["needle"]\n'],
    ['a stream', '0:"$1"\n1:R\n1:"needle"\n1:C\n'],
    ['what an iterable returned', '0:"$1"\n1:X\n1:C"needle"\n'],
    ['a text row, far in', `0:"$1"\n1:T7d6,${'x'.repeat(2000)}needle`],
    ['a server reference', '0:"$h1"\n1:{"id":"needle","bound":null}\n'],
    ['a prop that is cut in its line', `0:["$","p",null,{"title":"${'x'.repeat(99)} needle"}]\n`],
    ['an error of development', '0:"$Z1"\n1:{"message":"needle"}\n'],
    ['a payload within the payload', '0:"$1"\n1:o11,0:["a","needle"]\n'],
    ['a big integer', '0:["$n1needle","$n42"]\n'],
  ])('finds text in %s', (_, text) => {
    expect(find(decode(text), 'needle').length).toBe(1);
  });

  it('finds numbers, those of a typed array too', () => {
    expect(find(decode('0:["$1",4242]\n1:S4,\u0001\u0002\u0003\u0004'), '1027')).toEqual(['0.0.1']);
    expect(find(decode('0:[4242]\n'), '424')).toEqual(['0.0']);
  });

  it('does not name an element twice for what is in its line', () => {
    expect(find(decode('0:["$","p",null,{"title":"needle"}]\n'), 'needle')).toEqual(['0']);
  });
});

describe('a line', () => {
  it('leads to its bytes: its own, or the reference’s while it waits', () => {
    const text = '0:["$L1"]\n1:"late"\n';
    const late = decode(text);
    const placeAt = (came: number) => {
      const line = createOutlineReader(createTreeSource(late, came))(new Map([['0', [[0, 1]]]]))[1];
      const place = line?.kind === 'node' ? readNodePlace(line.node) : undefined;
      return text.slice(place?.start, place?.end);
    };
    expect(placeAt(1)).toBe('"$L1"');
    expect(placeAt(2)).toBe('"late"');
  });

  it('names the component and the source in development', () => {
    const dev = decode(
      '1:{"name":"Page"}\n0:["$","p",null,{"children":"$L2"},"$1",[["Page","/srv/app/page.js",7,9,5,1,false]],1]\n2:D{"name":"Late"}\n2:"x"\n',
    );
    const open: OpenNodes = new Map([['0', [[0, 9]]]]);
    const lines = createOutlineReader(createTreeSource(dev, dev.rows.count))(open);
    const origins = lines.map((line) => (line.kind === 'node' ? readOrigin(line.node)?.text : undefined));
    expect(origins).toContain('<Page> (app/page.js:7)');
    expect(origins).toContain('<Late>');
    expect(
      createOutlineReader(createTreeSource(flight, 4))(open).every(
        (line) => line.kind !== 'node' || readOrigin(line.node) === undefined,
      ),
    ).toBe(true);
  });
});
