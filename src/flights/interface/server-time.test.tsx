import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { decodeFlight, type PlacedSpan, type ServerTime } from '#flight';

import { ServerTimeOf } from './server-time-of.tsx';

const rows = ['0:["$","main",null,{"children":["Cart","$L5"]}]\n', '5:"2 items"\n'];
const bytes = new TextEncoder().encode(rows.join(''));
const flight = decodeFlight(bytes);
const place = 'src/cart.tsx:6';
const items: PlacedSpan = {
  name: 'Items',
  kind: 'component',
  at: 15,
  ms: 500,
  depth: 0,
  ownMs: 500,
  hasFailed: false,
  place,
};
const time: ServerTime = { tellers: ['code'], movedMs: 0, left: 0, spans: [items] };

/** With times at which the rows came. */
function render(...at: readonly number[]): string {
  const chunks = rows.map((row, index) => ({ ms: at[index] ?? 0, bytes: row.length }));
  return renderToStaticMarkup(<ServerTimeOf time={time} opened={{ flight, chunks }} />);
}

it('shows what is measured as text, and what is guessed from it apart and as a guess', () => {
  const html = render(20, 520);
  expect(html).toContain('<li>Row 5, outside every Suspense boundary of the payload, came 500 ms after');
  expect(html).toContain(
    '<em class="server-time-guess">A guess, by their times alone: Perhaps it waited for <code>&lt;Items&gt;</code> (src/cart.tsx:6), which took 500 ms until then.</em>',
  );
});

it('guesses nothing where the row came with the others', () => {
  const html = render(20, 30);
  expect(html).toContain('&lt;Items&gt;');
  expect(html).not.toContain('guess');
});
