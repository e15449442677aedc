import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { InputFlight } from '../flight-command/read-input.ts';
import { compareRoute } from './compare-route.ts';
import { exceedsGrowth, listLines } from './describe-route.ts';

const fixtures = path.join(import.meta.dirname, '../../../flight/fixtures');

function toFlight(text: string): InputFlight {
  return { title: 'payload', bytes: new TextEncoder().encode(text), chunks: [] };
}

function compare(base: string, head: string, more: { base?: string; head?: string } = {}) {
  const list = (...texts: (string | undefined)[]) =>
    texts.flatMap((text) => (text === undefined ? [] : [toFlight(text)]));
  return compareRoute('/', list(base, more.base), list(head, more.head));
}

type Product = { readonly id: number; readonly name: string; readonly description?: string };

function listProducts(count: number, description?: string): Product[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `product ${id}`,
    ...(description === undefined ? {} : { description: `${description} ${id}` }),
  }));
}

/** A page with a list of products in a client component. */
function page(products: readonly Product[], { title = 'Shop', chunk = 'app-4f9a0c1d2b.js', id = '4515' } = {}): string {
  return `1:I["${id}",["/_next/static/chunks/${chunk}"],"ProductList"]\n0:["$","main",null,{"children":[["$","h1",null,{"children":"${title}"}],["$","$L1",null,{"products":${JSON.stringify(products)}}]]}]\n`;
}

describe('what is no change', () => {
  test.each<[what: string, base: string, head: string]>([
    ['the same bytes', page(listProducts(3)), page(listProducts(3))],
    [
      'a module under another id, with another hash in the name of its file',
      page(listProducts(3)),
      page(listProducts(3), { chunk: 'app-0e77aa91ff.js', id: '90210' }),
    ],
    [
      'rows in another order, with other ids',
      '1:["$","p",null,{"children":"one"}]\n2:["$","p",null,{"children":"two"}]\n0:["$","div",null,{"children":["$L1","$L2"]}]\n',
      '0:["$","div",null,{"children":["$L5","$L9"]}]\n9:["$","p",null,{"children":"two"}]\n5:["$","p",null,{"children":"one"}]\n',
    ],
    [
      'a date, an id and the id of a server function',
      '1:{"id":"4f9a0c1d2b4f9a0c1d2b4f9a0c1d2b4f9a0c1d2b12","bound":null}\n0:["$","form",null,{"action":"$h1","data-at":"2026-11-27T04:05:06.789Z","id":"0c4a9f56-7f2e-4d8e-9b0a-3c1d5e6f7a8b"}]\n',
      '1:{"id":"0e77aa91ff0e77aa91ff0e77aa91ff0e77aa91ffab","bound":null}\n0:["$","form",null,{"action":"$h1","data-at":"2026-11-28T14:15:16.001Z","id":"7b1f2c3d-0a9b-4c5d-8e7f-6a5b4c3d2e1f"}]\n',
    ],
    [
      'elements whose keys are of one answer',
      '0:["$","ul",null,{"children":[["$","li","0c4a9f56-7f2e-4d8e-9b0a-3c1d5e6f7a8b",{"children":"one"}]]}]\n',
      '0:["$","ul",null,{"children":[["$","li","7b1f2c3d-0a9b-4c5d-8e7f-6a5b4c3d2e1f",{"children":"one"}]]}]\n',
    ],
    [
      'an error of the same kind under another digest',
      '1:E{"digest":"3F7K2-M9QRT"}\n0:["$","div",null,{"children":"$L1"}]\n',
      '1:E{"digest":"9X2AB-KK7Q1"}\n0:["$","div",null,{"children":"$L1"}]\n',
    ],
  ])('%s', (_, base, head) => {
    const route = compare(base, head);
    expect([route.verdict, listLines(route)]).toEqual(['same', []]);
  });

  test('what differs between two answers of one side', () => {
    const price = (cents: number, title = 'Price') =>
      `0:["$","div",null,{"children":[["$","h1",null,{"children":"${title}"}],["$","b",null,{"children":"${cents} cents"}]]}]\n`;
    expect(compare(price(100), price(317)).verdict).toBe('changed');
    expect(compare(price(100), price(317), { base: price(104) }).verdict).toBe('same');
    const route = compare(price(100), price(317, 'Prices'), { head: price(318, 'Prices') });
    expect([route.verdict, route.changes]).toEqual(['changed', ['content of <h1> changed']]);
  });

  test('a page of each framework with itself', () => {
    for (const name of [
      'next-16.4.6-development/shop.rsc',
      'react-router-8-production/types.rsc',
      'waku-1.0.0-rc.1-lab/duplicates.flight',
    ]) {
      const text = readFileSync(path.join(fixtures, name), 'latin1');
      const flight = { title: name, bytes: new Uint8Array(Buffer.from(text, 'latin1')), chunks: [] };
      expect([name, compareRoute('/', [flight], [flight]).verdict]).toEqual([name, 'same']);
    }
  });
});

describe('what changed, by component', () => {
  test.each<[what: string, base: string, head: string, line: RegExp]>([
    [
      'a key that every object got',
      page(listProducts(40)),
      page(listProducts(40, 'a long text about it')),
      /^<ProductList> \+[\d.]+ kB: products grew by description$/,
    ],
    [
      'a key that every object lost',
      page(listProducts(40, 'a long text about it')),
      page(listProducts(40)),
      /^<ProductList> −[\d.]+ kB: products shrank by description$/,
    ],
    ['items', page(listProducts(10)), page(listProducts(30)), /^<ProductList> \+\d+ B: products grew by 20 items$/],
    ['a text', page([], { title: 'Shop' }), page([], { title: `Shop ${'of things '.repeat(20)}` }), /^<h1> \+\d+ B$/],
    ['a short text', page([], { title: 'Shop' }), page([], { title: 'Shoe' }), /^content of <h1> changed$/],
  ])('%s', (_, base, head, line) => {
    const route = compare(base, head);
    expect(route.verdict).toBe('changed');
    expect(route.changes[0]).toMatch(line);
  });

  test('a component that is new, with its module', () => {
    const route = compare(
      '0:["$","main",null,{"children":"empty"}]\n',
      '1:I["77",[],"Cart"]\n0:["$","main",null,{"children":["$","$L1",null,{"items":["one","two"]}]}]\n',
    );
    expect(route.modules).toEqual({ added: ['Cart'], removed: [] });
    expect(listLines(route)).toContain('new client module: Cart');
  });

  test('a client module alone, which nothing of the payload shows', () => {
    const rows = '0:["$","main",null,{"children":"empty"}]\n';
    const route = compare(rows, `1:I["77",[],"Cart"]\n${rows}`);
    expect([route.verdict, route.modules.added]).toEqual(['changed', ['Cart']]);
    expect(compare(`1:I["77",[],"Cart"]\n${rows}`, rows).verdict).toBe('changed');
  });

  test('a secret and a finding that were not there', () => {
    // Random, and in two parts, so that no scanner of repositories takes it for a key.
    const key = `"apiKey":"sk_live_${'9aKq3LmZ7xTb2VwRc8YpJd4N'}"`;
    const user = (more: string) => `1:I["77",[],"Profile"]\n0:["$","$L1",null,{"user":{"name":"somebody"${more}}}]\n`;
    const route = compare(user(''), user(`,${key}`));
    expect(route.secrets.map(({ kind }) => kind)).toEqual(['secret']);
    expect(listLines(route)[0]).toMatch(/^new secret: /);
    expect(compare(user(`,${key}`), user(`,${key}`)).secrets).toEqual([]);
  });

  test('a route that one side has alone', () => {
    expect(compareRoute('/new', [], [toFlight(page([]))]).verdict).toBe('added');
    expect(compareRoute('/old', [toFlight(page([]))], []).verdict).toBe('removed');
  });

  test('the same content in more bytes', () => {
    const text = 'a text that is long enough to be sent once. '.repeat(20);
    const once = `1:T${text.length.toString(16)},${text}0:["$","div",null,{"children":[["$","p",null,{"title":"$1"}],["$","p",null,{"title":"$1"}]]}]\n`;
    const twice = `0:["$","div",null,{"children":[["$","p",null,{"title":${JSON.stringify(text)}}],["$","p",null,{"title":${JSON.stringify(text)}}]]}]\n`;
    const route = compare(once, twice);
    expect([route.verdict, listLines(route)]).toEqual(['otherwise', ['the same content in another number of bytes']]);
  });
});

test('a limit for the growth, as a share and as a size', () => {
  const route = compare(page(listProducts(40)), page(listProducts(44)));
  expect(exceedsGrowth(route, { unit: 'percent', value: 5 })).toMatch(/^it grew by \d+ B, and \d+ B are allowed$/);
  expect(exceedsGrowth(route, { unit: 'percent', value: 50 })).toBeUndefined();
  expect(exceedsGrowth(route, { unit: 'bytes', value: 10 })).toBeDefined();
  expect(exceedsGrowth(route, { unit: 'bytes', value: 10_000 })).toBeUndefined();
  const smaller = compare(page(listProducts(44)), page(listProducts(40)));
  expect(exceedsGrowth(smaller, { unit: 'bytes', value: 0 })).toBeUndefined();
});
