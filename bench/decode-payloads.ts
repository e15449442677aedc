import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { createElement, Suspense, type ReactNode } from 'react';
import { createClientModuleProxy, renderToPipeableStream } from 'react-server-dom-webpack/server.node';

/**
 * Payloads for the decoding benchmark, written by React's own server: run with `--conditions=react-server` and a
 * folder. small: one page. large: about 5 MB in 20 000 rows. binary: 5 MB, nearly all typed arrays.
 */
const counter = createClientModuleProxy('src/components/counter.tsx').Counter ?? 'div';
const manifest = {
  'src/components/counter.tsx#Counter': { id: 'src/components/counter.tsx', chunks: [], name: 'Counter', async: false },
};

function Item({ index }: { index: number }): ReactNode {
  const title = `Item ${index}, ${index % 7 === 0 ? 'façade' : 'plain'}`;
  return createElement(
    'li',
    { className: 'item', 'data-index': index },
    createElement('h3', null, title),
    createElement('p', null, 'A "quoted" word and a price of ', index * 1.25),
    createElement(counter, {
      start: index,
      label: title,
      tags: ['new', 'sale', index % 2 === 0 ? 'even' : 'odd'],
    }),
  );
}

function Page({ count }: { count: number }): ReactNode {
  const items = Array.from({ length: count }, (_, index) => createElement(Item, { key: index, index }));
  return createElement('main', null, createElement(Suspense, { fallback: null }, createElement('ul', null, items)));
}

function binaryValue(): object {
  const chunks = Array.from({ length: 80 }, (_, index) => new Uint8Array(64 * 1024).fill(index));
  return { chunks, floats: new Float64Array(1000), title: 'binary' };
}

async function render(model: unknown): Promise<Buffer> {
  const stream = renderToPipeableStream(model, manifest);
  return buffer(stream.pipe(new PassThrough()));
}

const [folder = '.'] = process.argv.slice(2);
writeFileSync(path.join(folder, 'small.flight'), await render(createElement(Page, { count: 12 })));
writeFileSync(path.join(folder, 'large.flight'), await render(createElement(Page, { count: 20_500 })));
writeFileSync(path.join(folder, 'binary.flight'), await render(binaryValue()));
