import { createHash } from 'node:crypto';

import type { Page } from './render-with-react.ts';

/** Pages for the corpus. Their texts are hashes, so that only what a page repeats on purpose repeats. */
function hashText(seed: string, length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part++) {
    text += createHash('sha256').update(`${seed} ${part}`).digest('base64').replaceAll(/[+/=]/g, ' ');
  }
  return text.slice(0, length);
}

function range<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export const labels = range(400, (index) => hashText(`label ${index}`, 40));
/** The same ones in another order: a second copy cannot be one long match. */
export const sortedLabels = labels.toSorted();

export const labelsTwice: Page = ({ h }) => [
  h('ul', { key: 1 }, ...labels.map((label) => h('li', { key: label, title: label }))),
  h('ol', { key: 2 }, ...sortedLabels.map((label) => h('li', { key: `${label} `, lang: 'en' }, label))),
];

export const prices = range(300, (index) => ({ sku: hashText(`sku ${index}`, 18), cents: index * 7 }));

export const largeProp: Page = ({ h, client }) =>
  h('main', null, h(client('Chart'), { data: prices, title: 'Prices' }));

export const classNames = 'flex items-center justify-between rounded-lg border border-gray-200 px-4 py-2 shadow-sm';
export const repeatedClasses: Page = ({ h }) =>
  h(
    'ul',
    null,
    ...range(200, (index) => h('li', { key: index, className: classNames }, hashText(`item ${index}`, 30))),
  );

export const modules: Page = ({ h, client }) =>
  h(
    'main',
    null,
    ...range(130, (index) =>
      h(client(`components/${hashText(`component ${index}`, 12).replaceAll(' ', 'x')}`), { key: index }),
    ),
  );

export const image = Buffer.concat(range(40, (index) => createHash('sha512').update(`${index}`).digest())).toString(
  'base64',
);
export const base64: Page = ({ h }) =>
  h('p', null, h('img', { src: `data:image/png;base64,${image}`, alt: 'An image' }));

/** What a good page is: a list from data, each text once, one client component. */
export const clean: Page = ({ h, client }) =>
  h(
    'main',
    null,
    h('h1', null, 'Products'),
    h(client('Filter'), { sort: 'price' }),
    h(
      'ul',
      null,
      ...range(40, (index) =>
        h('li', { key: index }, h('a', { href: `/products/${index}` }, hashText(`product ${index}`, 60))),
      ),
    ),
  );

/** Data that is shared as React shares it: one object in forty places. */
export const shared: Page = ({ h, client }) => {
  const user = { name: hashText('user', 40), roles: range(8, (index) => hashText(`role ${index}`, 20)) };
  return h('main', null, ...range(40, (index) => h(client('Row'), { key: index, user })));
};

/** A server component that renders an element anew each time, and differs in little. */
export const article: Page = ({ h }) =>
  h('article', null, ...range(30, (index) => h('p', { key: index }, hashText(`paragraph ${index}`, 500))));

/** A promise that is settled late, for a client component that has a Suspense boundary of its own. */
export const givenPromise: Page = ({ h, client }) =>
  h(
    'main',
    null,
    h('h1', null, 'Product'),
    h(client('Reviews'), { reviews: new Promise((resolve) => setTimeout(resolve, 340, 'late')) }),
  );
