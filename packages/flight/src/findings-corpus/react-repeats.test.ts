import { describe, expect, test } from 'vitest';

import { lineNames } from '../testing/differential/react-lines.ts';
import { renderWithReact, type Page } from '../testing/findings-corpus/render-with-react.ts';

/** What the advice of sent-twice.ts rests on: what React's server writes once, and what it writes again. */
const mark = 'a text with a mark in it';

const once: readonly (readonly [string, Page])[] = [
  ['the same object', ({ h, client }) => ((user) => h(client('Card'), { a: user, b: user }))({ name: mark })],
  ['the same array', ({ h, client }) => ((list) => h(client('Card'), { a: list, b: list }))([mark])],
  [
    'an object within two others',
    ({ h, client }) => ((tag) => h(client('Card'), { a: { tag }, b: { tag } }))({ name: mark }),
  ],
  ['the same element', ({ h }) => ((element) => h('p', null, element, element))(h('b', null, mark))],
  [
    'the same promise',
    ({ h, client }) => ((later) => h(client('Card'), { a: later, b: later }))(Promise.resolve(mark)),
  ],
  ['the same Map', ({ h, client }) => ((map) => h(client('Card'), { a: map, b: map }))(new Map([[mark, 1]]))],
  [
    'the same typed array',
    ({ h, client }) => ((data) => h(client('Card'), { a: data, b: data }))(new TextEncoder().encode(mark)),
  ],
  [
    'the object that holds a text, for two client components',
    ({ h, client }) => {
      const user = { name: mark };
      return h('p', null, h(client('Card'), { user }), h(client('Head'), { user }));
    },
  ],
];

const again: readonly (readonly [string, Page])[] = [
  ['the same text', ({ h }) => h('p', { title: mark }, mark)],
  ['the same long text', ({ h }) => ((long) => h('p', { title: long }, long))(mark.padEnd(2000, '.'))],
  ['equal objects', ({ h, client }) => h(client('Card'), { a: { name: mark }, b: { name: mark } })],
  ['equal arrays', ({ h, client }) => h(client('Card'), { a: [mark], b: [mark] })],
  ['equal elements', ({ h }) => h('p', null, h('b', null, mark), h('b', null, mark))],
  ['what a component renders twice', ({ h }) => ((Icon) => h('p', null, h(Icon), h(Icon)))(() => mark)],
];

describe.each(lineNames)('React %s', (line) => {
  test.each(once)('writes %s once', async (_, page) => {
    const { text } = await renderWithReact(page, { line });
    expect(text.split(mark)).toHaveLength(2);
  });

  test.each(again)('writes %s again', async (_, page) => {
    const { text } = await renderWithReact(page, { line });
    expect(text.split(mark)).toHaveLength(3);
  });

  test(`names a file ${line === '19.3' ? 'once' : 'for each module'}`, async () => {
    const { text } = await renderWithReact(
      ({ h, client }) => {
        const shared = 'components/shared.tsx';
        return h('p', null, h(client('Card', shared)), h(client('Head', shared)));
      },
      { line },
    );
    expect(text.split('static/chunks/components/shared.tsx-')).toHaveLength(line === '19.3' ? 2 : 3);
  });
});
