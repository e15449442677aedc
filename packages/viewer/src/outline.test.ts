import { describe, expect, it } from 'vitest';

import {
  comparePaths,
  createOutlineReader,
  firstPage,
  nextPage,
  openFirst,
  openTo,
  showRange,
  type OpenNodes,
  type OutlineSource,
} from './outline.ts';
import { moveToHit, readHitIndex } from './outline-hits.ts';
import { pressKey, showMore, toggleNode, type OutlineState } from './outline-keys.ts';
import { createOutlineSearch, type SearchableSource } from './outline-search.ts';

/** A tree: a number is a list of so many leaves, named by their index. */
type Tree = { readonly [name: string]: Tree } | number;
type Node = { readonly tree: Tree };

function listMembers({ tree }: Node): [string, Tree][] {
  return typeof tree === 'number'
    ? Array.from({ length: tree }, (_, index) => [String(index), 0])
    : Object.entries(tree);
}

function sourceOf(tree: Tree): SearchableSource<Node> & OutlineSource<Node> {
  return {
    root: { tree },
    hasMembers: (node) => (typeof node.tree === 'number' ? node.tree > 0 : true),
    countMembers: (node) => (typeof node.tree === 'number' ? node.tree : Object.keys(node.tree).length),
    readMembers: (node, from, count) =>
      listMembers(node)
        .slice(from, from + count)
        .map(([name, inner]) => ({ name, node: { tree: inner } })),
    opensAtFirst: (node) => node.tree !== 3,
    identify: (node) =>
      node.tree === 0 ? undefined : { scope: typeof node.tree === 'number' ? node : node.tree, key: '' },
  };
}

function readOutline(source: OutlineSource<Node>, open: OpenNodes) {
  return createOutlineReader(source)(open);
}

function show(source: OutlineSource<Node>, open: OpenNodes): string[] {
  return readOutline(source, open).map((line) =>
    line.kind === 'more'
      ? `${'  '.repeat(line.depth)}… ${line.from} to ${line.to} of ${line.total}`
      : `${'  '.repeat(line.depth)}${line.name ?? 'root'}${line.isOpen ? ' ▾' : ''}`,
  );
}

describe('readOutline', () => {
  it('has members only of what is open', () => {
    const source = sourceOf({ a: { b: 2 }, c: 1 });
    expect(show(source, new Map())).toEqual(['root']);
    expect(
      show(
        source,
        new Map([
          ['0', [[0, 2]]],
          ['0.0', [[0, 1]]],
        ]),
      ),
    ).toEqual(['root ▾', '  a ▾', '    b', '  c']);
  });

  it('says what is hidden: before, between and after what is shown', () => {
    const open: OpenNodes = new Map([
      [
        '0',
        [
          [10, 12],
          [14, 15],
        ],
      ],
    ]);
    expect(show(sourceOf(20), open)).toEqual([
      'root ▾',
      '  … 0 to 10 of 20',
      '  10',
      '  11',
      '  … 12 to 14 of 20',
      '  14',
      '  … 15 to 20 of 20',
    ]);
  });

  it('knows which of how many a line is', () => {
    const [, , second] = readOutline(sourceOf(5), new Map([['0', [[0, 5]]]]));
    expect(second).toMatchObject({ path: '0.1', index: 1, total: 5, depth: 1 });
  });

  it('reads on what shows more than before, and no more of it when it is closed', () => {
    const read = createOutlineReader(sourceOf(1000));
    expect(read(new Map([['0', [[0, 200]]]]))).toHaveLength(202);
    expect(read(new Map([['0', [[0, 1000]]]]))).toHaveLength(1001);
    expect(read(new Map())).toHaveLength(1);
  });

  it('does not recurse: a thousand levels', () => {
    let tree: Tree = 0;
    for (let level = 0; level < 1000; level++) tree = { inner: tree };
    const source = sourceOf(tree);
    expect(readOutline(source, openTo(source, new Map(), `0${'.0'.repeat(1000)}`))).toHaveLength(1001);
  });
});

describe('showRange', () => {
  it.each([
    [
      'apart',
      [[0, 200]],
      [500, 600],
      [
        [0, 200],
        [500, 600],
      ],
    ],
    ['touching', [[0, 200]], [200, 1200], [[0, 1200]]],
    [
      'overlapping two',
      [
        [0, 200],
        [500, 600],
      ],
      [150, 550],
      [[0, 600]],
    ],
    ['nearly touching', [[0, 200]], [219, 300], [[0, 300]]],
    [
      'not so near',
      [[0, 200]],
      [220, 300],
      [
        [0, 200],
        [220, 300],
      ],
    ],
    ['inside', [[0, 200]], [20, 30], [[0, 200]]],
    ['near the start', [], [19, 30], [[0, 30]]],
    [
      'near the end',
      [[0, 200]],
      [900, 9_981],
      [
        [0, 200],
        [900, 10_000],
      ],
    ],
  ] as const)('%s', (_, ranges, wanted, expected) => {
    expect(showRange(ranges, wanted, 10_000)).toEqual(expected);
  });
});

describe('openFirst', () => {
  it('opens level by level as much as fits, and through what has one member', () => {
    const source = sourceOf({ a: { only: { inner: 2 } }, b: 30, c: 2, d: 3 });
    const lines = show(source, openFirst(source, 20));
    expect(lines).toEqual([
      'root ▾',
      '  a ▾',
      '    only ▾',
      '      inner ▾',
      '        0',
      '        1',
      '  b',
      '  c ▾',
      '    0',
      '    1',
      '  d',
    ]);
  });

  it('shows how a long list begins', () => {
    const source = sourceOf(5000);
    expect(show(source, openFirst(source, 40)).at(-1)).toBe(`  … ${firstPage} to 5000 of 5000`);
  });

  it('hides no few', () => {
    const source = sourceOf(firstPage + 20);
    expect(readOutline(source, openFirst(source, 40))).toHaveLength(firstPage + 21);
  });
});

describe('openTo', () => {
  it('opens the way to a line, and of a long list what is around it', () => {
    const source = sourceOf({ a: 1, list: 10_000 });
    const lines = show(source, openTo(source, new Map(), '0.1.7000'));
    expect(lines).toContain('    7000');
    expect(lines).toContain('    … 200 to 6950 of 10000');
    expect(lines.length).toBeLessThan(310);
  });

  it('leaves what is shown as it is', () => {
    const source = sourceOf(10);
    const open: OpenNodes = new Map([['0', [[0, 10]]]]);
    expect(openTo(source, open, '0.5').get('0')).toBe(open.get('0'));
  });
});

describe('keys', () => {
  function type(source: SearchableSource<Node>, keys: readonly string[], from: Partial<OutlineState> = {}) {
    let state: OutlineState = { open: new Map(), current: undefined, ...from };
    for (const key of keys) state = pressKey(source, readOutline(source, state.open), state, key) ?? state;
    return state;
  }

  const tree = sourceOf({ a: { b: 2 }, c: 0 });

  it.each([
    [['ArrowDown'], '0'],
    [['End'], '0'],
    [['ArrowDown', 'ArrowRight'], '0'],
    [['ArrowDown', 'ArrowRight', 'ArrowRight'], '0.0'],
    [['ArrowDown', 'ArrowRight', 'End'], '0.1'],
    [['ArrowDown', 'ArrowRight', 'End', 'ArrowRight'], '0.1'],
    [['ArrowDown', 'ArrowRight', 'End', 'Home'], '0'],
    [['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft'], '0.0'],
    [['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft'], '0'],
    [['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowUp'], '0'],
    [['ArrowDown', 'ArrowLeft'], '0'],
  ])('%j lead to %s', (keys, current) => {
    expect(type(tree, keys).current).toBe(current);
  });

  it('open and close', () => {
    expect([...type(tree, ['ArrowDown', 'ArrowRight']).open.keys()]).toEqual(['0']);
    expect([...type(tree, ['ArrowDown', 'ArrowRight', 'ArrowLeft']).open.keys()]).toEqual([]);
    // A leaf has nothing to open.
    expect([...type(tree, ['ArrowDown', 'ArrowRight', 'End', 'ArrowRight']).open.keys()]).toEqual(['0']);
  });

  it('that are not theirs do nothing', () => {
    expect(pressKey(tree, readOutline(tree, new Map()), { open: new Map(), current: '0' }, 'x')).toBeUndefined();
    expect(pressKey(tree, readOutline(tree, new Map()), { open: new Map(), current: '0' }, 'Enter')).toBeUndefined();
    expect(
      pressKey(tree, readOutline(tree, new Map()), { open: new Map(), current: undefined }, 'ArrowRight'),
    ).toBeUndefined();
  });

  const long = sourceOf(10_000);

  it.each(['ArrowRight', 'Enter', ' '])('%j on hidden members shows the next thousand', (key) => {
    const state = type(long, ['ArrowDown', 'ArrowRight', 'Home', 'ArrowRight']);
    const more = { ...state, current: `0+${firstPage}` };
    const after = type(long, [key], more);
    expect(after.current).toBe(`0.${firstPage}`);
    expect(after.open.get('0')).toEqual([[0, firstPage + nextPage]]);
    expect(type(long, ['ArrowLeft'], more).current).toBe('0');
  });

  it('End goes to the very last, and shows it', () => {
    const state = type(long, ['ArrowDown', 'ArrowRight', 'End']);
    expect(state.current).toBe('0.9999');
    expect(show(long, state.open).at(-1)).toBe('  9999');
    expect(show(long, state.open)).toContain('  … 200 to 9949 of 10000');
    // The next thousand before what is shown at the end.
    const line = readOutline(long, state.open).find(({ kind }) => kind === 'more');
    const after = line?.kind === 'more' ? showMore(state, line) : state;
    expect(after.open.get('0')).toEqual([
      [0, 1200],
      [9949, 10_000],
    ]);
  });

  it('every member of a long list is reached by showing more', () => {
    let state = type(long, ['ArrowDown', 'ArrowRight']);
    for (let turn = 0; turn < 10; turn++) {
      const line = readOutline(long, state.open).at(-1);
      if (line?.kind === 'more') state = showMore(state, line);
    }
    expect(readOutline(long, state.open)).toHaveLength(10_001);
  });

  it('a pointer closes what is open, and opens it again as at first', () => {
    const opened = toggleNode(long, { open: new Map(), current: '0' }, { path: '0', node: { tree: 10_000 } });
    expect(opened.open.get('0')).toEqual([[0, firstPage]]);
    expect(toggleNode(long, opened, { path: '0', node: { tree: 10_000 } }).open.size).toBe(0);
  });
});

describe('search', () => {
  it('finds lines in their order, open or not, and far into lists', () => {
    const source = sourceOf({ x1: 0, list: 1000, x2: { y: { x3: 0 } } });
    const { found, advance } = createOutlineSearch(
      source,
      (_, name) => name?.startsWith('x') === true || name === '999',
    );
    expect(advance(Infinity)).toBe(true);
    expect(found).toEqual(['0.0', '0.1.999', '0.2', '0.2.0.0']);
    for (const path of found) {
      const lines = readOutline(source, openTo(source, new Map(), path));
      expect(lines.some((line) => line.path === path)).toBe(true);
    }
  });

  it('opens what is there twice once', () => {
    const shared = { x: 0 };
    const { found, advance } = createOutlineSearch(sourceOf({ a: shared, b: shared }), (_, name) => name === 'x');
    advance(Infinity);
    expect(found).toEqual(['0.0.0']);
  });

  it('stops when its time is over or enough is found, and goes on', () => {
    let clock = 0;
    const { found, advance } = createOutlineSearch(
      sourceOf(1000),
      () => true,
      () => ++clock,
    );
    expect(advance(1)).toBe(false);
    expect(found.length).toBeLessThan(100);
    expect(advance(Infinity, 200)).toBe(false);
    expect(found).toHaveLength(200);
    expect(advance(Infinity)).toBe(true);
    expect(found).toHaveLength(1001);
  });
});

describe('hits', () => {
  const hits = ['0.2', '0.2.1', '0.10'];

  it('are in the order of lines', () => {
    expect(hits.toReversed().toSorted(comparePaths)).toEqual(hits);
    expect(comparePaths('0.2', '0.2')).toBe(0);
  });

  it.each([
    [undefined, 1, '0.2'],
    [undefined, -1, '0.10'],
    ['0.1', 1, '0.2'],
    ['0.2', 1, '0.2.1'],
    ['0.2.1.5', 1, '0.10'],
    ['0.10', 1, '0.2'],
    ['0.11', 1, '0.2'],
    ['0.2', -1, '0.10'],
    ['0.3', -1, '0.2.1'],
    ['0.11', -1, '0.10'],
  ] as const)('from %s in direction %i comes %s', (path, direction, expected) => {
    expect(moveToHit(hits, path, direction)).toBe(expected);
  });

  it('are counted from 0', () => {
    expect(hits.map((hit) => readHitIndex(hits, hit))).toEqual([0, 1, 2]);
    expect(readHitIndex(hits, '0.3')).toBeUndefined();
    expect(readHitIndex(hits, undefined)).toBeUndefined();
    expect(moveToHit([], '0', 1)).toBeUndefined();
  });
});
