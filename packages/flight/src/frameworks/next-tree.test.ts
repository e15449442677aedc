import { expect, it } from 'vitest';

import { readNextTree } from './next-tree.ts';

function read(tree: unknown) {
  return readNextTree(encodeURIComponent(JSON.stringify(tree)));
}

const page = ['__PAGE__', {}, null, null];

it('says where the browser is, without groups', () => {
  const tree = [
    '',
    { children: ['(shop)', { children: ['items', { children: [['id', '7', 'd'], { children: page }] }] }] },
  ];
  expect(read(tree)).toMatchObject({ route: '/items/[id]', hasRefetch: false, askedRoute: undefined });
});

it('says of which page the rest is asked for', () => {
  const tree = ['', { children: [['path', 'a/b', 'c'], { children: page }, null, 'refetch'] }];
  expect(read(tree)).toMatchObject({
    route: '/[...path]',
    hasRefetch: true,
    askedRoute: '/[...path]',
    purpose: 'click',
  });
});

it('finds what is asked for in a slot beside the page, where it is intercepted', () => {
  const photo = ['(..)photo', { children: [['id', '7', 'd'], { children: page }] }, null, 'refetch'];
  const tree = ['', { children: ['feed', { children: page, modal: photo }, null, null] }, null, null];
  expect(read(tree)).toMatchObject({
    route: '/feed',
    hasRefetch: true,
    askedRoute: '/feed/(..)photo/[id]',
    purpose: 'click',
  });
});

it('a catch-all in a slot beside the page is not the page', () => {
  const rest = ['(slot)', { children: [['rest', 'full/8', 'c'], { children: page }, null, 'refetch'] }];
  const tree = ['', { children: ['full', { children: page }], modal: rest }];
  expect(read(tree)).toMatchObject({ hasRefetch: true, askedRoute: undefined });
});

it('with Cache Components, what is asked for whole may be a click or ahead of one', () => {
  const inner = [
    ['slug', 'adv/deep', 'oc', null],
    { children: ['__PAGE__', {}, null, null, 49312] },
    null,
    null,
    49248,
  ];
  const ahead = ['', { children: ['guide', { children: inner }, null, 'refetch', 49248] }, null, null, 49232];
  expect(read(ahead)).toMatchObject({ purpose: 'either', askedRoute: '/guide/[[...slug]]' });
  const item = [['id', '77', 'd', null], { children: ['__PAGE__', {}, null, 'refetch', 49312] }, null, null, 49252];
  const atItsEnd = ['', { children: ['products', { children: item }, null, null, 49256] }, null, null, 49240];
  expect(read(atItsEnd)).toMatchObject({ purpose: 'either', askedRoute: '/products/[id]' });
  const lacking = ['blog', { children: ['__PAGE__', {}, null, 'refetch', 49314] }, null, null, 49250];
  expect(read(['', { children: lacking }, null, null, 49238])).toMatchObject({ purpose: 'click' });
  const front = ['(front)', { children: ['__PAGE__', {}, null, null, 49312] }, null, null, 49248];
  expect(read(['', { children: front }, null, null, 49232])).toMatchObject({ purpose: 'click' });
});

it('takes a slot that is there for no request', () => {
  const slot = ['__DEFAULT__', {}, null, null];
  expect(read(['', { children: ['feed', { children: page, modal: slot }] }])).toMatchObject({ hasRefetch: false });
  expect(read(['', {}, null, 'refetch'])).toMatchObject({ route: '/', hasRefetch: false, purpose: 'click' });
});
