import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import { buildByteTree, createByteOpener, type ByteNode } from './byte-tree.ts';
import { decodeFlight } from './decode-flight.ts';

function build(text: string | Uint8Array, maxNodes?: number): ByteNode {
  const flight = decodeFlight(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return buildByteTree(flight, attributeBytes(flight), maxNodes);
}

function countNodes(node: ByteNode): number {
  return node.children.reduce((sum, child) => sum + countNodes(child), 1);
}

function namesIn(node: ByteNode | undefined): string[] {
  return node?.children.map(({ name }) => name) ?? [];
}

function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',');
}

test('a place leads to the bytes', () => {
  const [element] = build('0:["$","p",null,{"title":"a title","children":"$1"}]\n1:"a text of its own"\n').children;
  expect(element).toMatchObject({ name: '<p>', kind: 'element', place: { row: 0 } });
  expect(element?.children.map(({ name, kind, place }) => [kind, name, place?.row])).toEqual([
    ['prop', 'title', 0],
    ['value', '"a text of its own"', 0],
    ['itself', 'itself', 0],
  ]);
});

test('an element that is a prop is both', () => {
  const [main] = build('0:["$","main",null,{"title":"a title","fallback":["$","p",null,{"id":"a"}]}]\n').children;
  expect(main?.children.find(({ bytes }) => bytes > 20)).toMatchObject({
    name: 'fallback › <p>',
    kind: 'element',
    chain: [],
  });
});

describe('siblings that are alike', () => {
  test('are one node when they have keys and one type', () => {
    const items = list(9, (index) => `["$","li","${index}",{"className":"c${index}"}]`);
    const [ul] = build(`0:["$","ul",null,{"children":[${items},["$","hr",null,{}]]}]\n`).children;
    expect(namesIn(ul)).toEqual(['<li> × 9', '<hr>', 'itself']);
    expect(ul?.children[0]).toMatchObject({ kind: 'element', count: 9 });
    expect(namesIn(ul?.children[0])).toEqual(['className × 9', 'itself']);
  });

  test('are one node without keys when their class names are equal, too', () => {
    const items = list(8, (index) => `["$","div",null,{"className":"${index % 2 ? 'card' : 'row'}"}]`);
    const [main] = build(
      `0:["$","main",null,{"children":[${items},["$","div",null,{"className":"foot"}]]}]\n`,
    ).children;
    expect(namesIn(main)).toEqual(['<div> × 4', '<div> × 4', '<div>', 'itself']);
  });

  test('of fewer than four stay as they are, and one with most of the bytes stands alone', () => {
    const small = list(3, (index) => `["$","li","${index}",{}]`);
    expect(namesIn(build(`0:["$","ul",null,{"children":[${small}]}]\n`).children[0])).toEqual([
      '<li>',
      '<li>',
      '<li>',
      'itself',
    ]);
    const large = `["$","li","large",{"id":"${'x'.repeat(60)}","lang":"${'y'.repeat(60)}"}]`;
    const [ul] = build(`0:["$","ul",null,{"children":[${small},${large},["$","li","last",{}]]}]\n`).children;
    expect(namesIn(ul)).toEqual(['<li>', '<li> × 4', 'itself']);
  });

  test('may be data, rows, and elements that came late', () => {
    const data = list(5, (index) => `{"id":${index},"name":"n"}`);
    const late = list(5, (index) => `"$L${index + 5}"`);
    const rows = Array.from({ length: 5 }, (_, index) => `${index + 5}:["$","p","${index}",{"children":"${index}"}]\n`);
    const text = `0:["$","main",null,{"data":[${data}],"children":[${late},1,2,3,4]}]\n${rows.join('')}1:I["a",[],"A"]\n2:I["b",[],"B"]\n`;
    const tree = build(text);
    expect(namesIn(tree)).toEqual(['<main>', 'client modules nothing uses']);
    const [main, modules] = tree.children;
    expect(namesIn(main)).toEqual(['data', '<p> × 5', 'number × 4', 'itself']);
    expect(namesIn(main?.children[0])).toEqual(['{id, name} × 5', 'itself']);
    expect(namesIn(main?.children[0]?.children[0])).toEqual(['id × 5', 'name × 5', 'itself']);
    expect(namesIn(main?.children[1])).toEqual(['text × 5', 'itself']);
    expect(namesIn(modules)).toEqual(['client A', 'client B']);
  });
});

describe('a chain', () => {
  const text = 'a text that is long enough to be nearly all of each element around it '.repeat(30);

  test('is one node that says its links, and what stands beside them', () => {
    const inner = `["$","main",null,{"children":["${text}","${text}",["$","hr",null,{}]]}]`;
    const [chain] = build(
      `0:["$","html",null,{"children":["$","body",null,{"id":"b","children":["$","div",null,{"children":"$L1"}]}]}]\n1:${inner}\n`,
    ).children;
    expect(chain).toMatchObject({
      name: '<html> › … › <main>',
      kind: 'element',
      chain: ['<html>', '<body>', '<div>', '<main>'],
      place: { row: 0 },
    });
    const [one, other, rule, rest, itself, more] = chain?.children ?? [];
    expect([one?.kind, other?.kind, rule?.name, rest?.name, itself?.name, more]).toEqual([
      'value',
      'value',
      '<hr>',
      'beside this chain',
      'itself',
      undefined,
    ]);
    expect(namesIn(rest)).toEqual(['id']);
  });

  test('does not end in a single text: that is shown in its element', () => {
    const [p] = build(`0:["$","p",null,{"children":"${text}"}]\n`).children;
    expect(p).toMatchObject({ name: '<p>', chain: [] });
    expect(p?.children[0]?.kind).toBe('value');
  });

  test('goes through the Maps in which Next keeps a page, and begins anew at its first element', () => {
    const main = `["$","main",null,{"children":["${text}","${text}",["$","hr",null,{}]]}]`;
    const page = `["$","$3","c",{"children":${main}}]`;
    const [slot] = build(
      `0:{"t":{"c":"$Q1"}}\n1:[["children",{"s":"blog","c":"$Q2"}]]\n2:[["children",{"d":{"r":${page}}}]]\n3:"$Sreact.fragment"\n`,
    ).children;
    expect(slot).toMatchObject({ name: '{t} › … › children', kind: 'value' });
    expect(namesIn(slot)).toEqual(['s', 'c › children › d', 'itself']);
    const [chain] = slot?.children[1]?.children ?? [];
    expect(chain).toMatchObject({ name: '<Fragment> › <main>', kind: 'element', chain: ['r', '<Fragment>', '<main>'] });
    expect(namesIn(chain)).toContain('<hr>');
  });

  test('does not hide the members of an object that has no name', () => {
    const [root] = build(`0:{"b":"build","t":{"one":"${text}","other":"${text}"},"S":true}\n`).children;
    expect(root).toMatchObject({ name: '{b, t, S}', chain: [] });
    expect(namesIn(root)).toEqual(['b', 't', 'S', 'itself']);
  });

  test('of Next to the page leaves the layout beside it, however small it is', () => {
    const layout = '{"r":["$","html",null,{"children":["$","body",null,{"id":"b"}]}]}';
    const page = `{"r":["$","main",null,{"children":["${text}","${text}"]}]}`;
    const payload = `0:{"t":{"c":"$Q1","d":${layout},"s":""},"b":1}\n1:[["children",{"d":${page},"s":"page"}]]\n`;
    const [slot] = build(payload).children[0]?.children ?? [];
    expect(slot).toMatchObject({ name: 't', chain: [] });
    expect(namesIn(slot)).toEqual(['c › children › d', 'd', 's', 'itself']);
    expect(namesIn(slot?.children[0])).toEqual(['r › <main>', 'beside this chain', 'itself']);
    expect(namesIn(slot?.children[1])).toEqual(['r › <html>', 'itself']);
    const [empty] = build(payload.replace(layout, '{"r":null,"p":false,"v":null}')).children[0]?.children ?? [];
    expect(empty).toMatchObject({ name: 't › … › d', chain: ['t', 'c', 'children', 'd'] });
    expect(namesIn(empty)).toEqual(['r › <main>', 'beside this chain', 'itself']);
  });

  test('ends where more than next to nothing stands beside, in one link or in several', () => {
    const bytes = 2 * text.length;
    function wrap(inner: string, name: string, beside: number): string {
      return `["$","${name}",null,{"id":"${'x'.repeat(beside)}","children":${inner}}]`;
    }
    const inner = `["$","main",null,{"children":["${text}","${text}"]}]`;
    const [large] = build(`0:${wrap(inner, 'body', bytes * 0.03)}\n`).children;
    expect(large).toMatchObject({ name: '<body>', chain: [] });
    expect(namesIn(large)).toEqual(['id', '<main>', 'itself']);
    const small = Math.round(bytes * 0.012);
    const [several] = build(`0:${wrap(wrap(inner, 'div', small), 'body', small)}\n`).children;
    expect(several).toMatchObject({ name: '<body> › <div>' });
    expect(namesIn(several)).toEqual(['id', '<main>', 'beside this chain', 'itself']);
  });

  test('ends where a link is no longer nearly all of the first one', () => {
    const data = JSON.stringify({ ['k'.repeat(60)]: { ['l'.repeat(60)]: { m: ['x'.repeat(1000), 1] } } });
    const [root] = build(`0:["$","p",null,{"data":${data}}]\n`).children;
    expect(root?.chain).toEqual(['<p>', 'data', 'k'.repeat(60)]);
  });

  test('in a page of Next keeps what the payload has beside the tree', () => {
    const url = new URL('../fixtures/next-16.4.6-cache-components/heavy-prefetch.rsc', import.meta.url);
    const [root] = build(readFileSync(url)).children;
    expect(root).toMatchObject({ name: '{q, i, S, r, b, …}', bytes: 1447 });
    expect(namesIn(root)).toEqual(expect.arrayContaining(['q', 'i', 'S', 'r', 'b', 's', 't', 'itself']));
    expect(root?.children.find(({ name }) => name === 't')).toMatchObject({ bytes: 1293, chain: [] });
  });
});

test('the entries of a Map have the names of its keys', () => {
  const [map] = build(
    '0:{"map":"$Q1","other":"b"}\n1:[["first",{"a":1,"b":2}],["second",3],[["key"],4],"none"]\n',
  ).children;
  expect(namesIn(map?.children.find(({ name }) => name === 'map'))).toEqual([
    'first',
    'second',
    'Array(1)',
    '"none"',
    'itself',
  ]);
});

test('a Map’s item that is no pair stays an item', () => {
  const [map] = build('0:{"map":"$Q1","other":"bb"}\n1:[["first",[1,2],3],["second",4]]\n').children;
  expect(namesIn(map?.children.find(({ name }) => name === 'map'))).toEqual(['Array(3)', 'second', 'itself']);
});

test('a stream is all of its rows', () => {
  const [root] = build('0:{"stream":"$1","other":"b"}\n1:X\n1:["first of the items"]\n1:{"second":2}\n1:C\n').children;
  expect(namesIn(root?.children.find(({ name }) => name === 'stream'))).toEqual([
    'async-iterable',
    'Array(1)',
    '{second}',
    'end',
    'itself',
  ]);
});

test('a group of one kind of row is a list of them, and of several it folds each', () => {
  const modules = Array.from({ length: 5 }, (_, index) => `${index + 1}:I["m${index}",[],"C${index}"]\n`).join('');
  const [, unused] = build(`${modules}0:"the root"\n`).children;
  expect(namesIn(unused)).toEqual(['client C0', 'client C1', 'client C2', 'client C3', 'client C4']);
});

test('thousands that differ are folded by their type', () => {
  const items = list(1000, (index) => `["$","${index % 2 ? 'p' : 'div'}",null,{"className":"c${index}"}]`);
  expect(namesIn(build(`0:["$","main",null,{"children":[${items}]}]\n`).children[0])).toEqual([
    '<div> × 500',
    '<p> × 500',
    'itself',
  ]);
});

test('what has many names is bounded, and says what it left out, which opens in ranges', () => {
  const tree = build(`0:{${list(5000, (index) => `"key ${index}":[${index}]`)}}\n`, 300);
  expect(countNodes(tree)).toBeLessThanOrEqual(500);
  const others = tree.children[0]?.children.find(({ kind }) => kind === 'others');
  expect(others).toMatchObject({ name: '4,851 smaller ones', count: 4851 });
  expect(others?.children).toHaveLength(49);
  expect(namesIn(others).slice(0, 2)).toEqual(['1 to 100', '101 to 200']);
  expect(namesIn(others).at(-1)).toBe('4,801 to 4,851');
});

test('of a list of a hundred thousand each item can be reached, and none is named before', () => {
  const flight = decodeFlight(new TextEncoder().encode(`0:[${list(100_000, (index) => `[${index}]`)}]\n`));
  const sums = attributeBytes(flight);
  const { open, unfold } = createByteOpener(flight, sums);
  const tree = buildByteTree(flight, sums, 10);
  expect(countNodes(tree)).toBeLessThan(20);
  const fold = tree.children[0]?.children[0];
  expect(fold).toMatchObject({ name: 'Array × 100,000', count: 100_000 });
  let node = fold && unfold(fold);
  for (const name of ['99,001 to 100,000', '99,901 to 100,000', 'Array(1)']) {
    const opened: ByteNode | undefined = node?.isClosed ? open(node, 1) : node;
    node = opened?.children.find((child) => child.name === name);
    expect(node?.name).toBe(name);
  }
});

test('what is in folded items is folded, too, as far as that costs little', () => {
  const items = list(5000, (index) => `{"a":{"b":{"c":${index}}}}`);
  const flight = decodeFlight(new TextEncoder().encode(`0:[${items}]\n`));
  const sums = attributeBytes(flight);
  const folded = buildByteTree(flight, sums).children[0]?.children[0];
  expect(folded).toMatchObject({ name: '{a} × 5,000', isClosed: false });
  const [a] = folded?.children ?? [];
  expect(a).toMatchObject({ name: 'a × 5,000', isClosed: false });
  const [b] = a?.children ?? [];
  expect(b).toMatchObject({ name: 'b × 5,000', isClosed: true });
  expect(namesIn(b && createByteOpener(flight, sums).open(b))).toEqual(['c × 5,000', 'itself']);
});

test('a list may have more items than a call may have arguments', () => {
  const flight = decodeFlight(new TextEncoder().encode(`0:["$","ul",null,{"children":[${'1,'.repeat(199_999)}1]}]\n`));
  expect(buildByteTree(flight, attributeBytes(flight)).bytes).toBe(flight.bytes.length);
});
