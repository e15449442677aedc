import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { addPrefetches, type LedgerGroup, type LedgerPart } from '#src/flights/for-operator/prefetch-ledger.ts';

import { parseFlightQuery } from './flight-query.ts';
import { PrefetchLedger } from './prefetch-ledger.tsx';

const nothing = addPrefetches([]);
const query = parseFlightQuery('');

function createGroup(name: string | undefined, part: Partial<LedgerPart>): LedgerGroup {
  const whole = { ...nothing, route: '/', link: '/', page: undefined, trigger: undefined, told: undefined, ...part };
  return { ...whole, name, parts: [whole, { ...whole, link: '/other' }] };
}

it('says of each row what is known of its waste', () => {
  const html = renderToStaticMarkup(
    <PrefetchLedger
      groups={[
        createGroup('/wasted', { sent: 1, expired: 1, bytes: 9, wastedBytes: 9 }),
        createGroup('/unknown', { sent: 3, used: 1, unknown: 2, bytes: 9_930, unknownBytes: 9_930 }),
        createGroup('/fine', { sent: 1, used: 1, bytes: 9 }),
      ]}
      by="link"
      query={query}
    />,
  );
  const places = ['Wasted for certain', '>/wasted<', 'their order is no ranking', '>/unknown<', 'None was', '>/fine<'];
  const at = places.map((text) => html.indexOf(text));
  expect(at).not.toContain(-1);
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(html).toContain('data-label="Requests">3<');
  expect(html).not.toContain('Waiting');
  expect(html).not.toContain('Links');
  expect(html).toContain('colSpan="9"');
  expect(html).toContain('route=%22%2Ffine%22');
});

it('has a column for what waits, where something does, and one for the links of a page', () => {
  const groups = [createGroup('/list', { sent: 2, waiting: 2 })];
  const html = renderToStaticMarkup(<PrefetchLedger groups={groups} by="page" query={query} />);
  expect(html).toContain('data-label="Waiting">2<');
  expect(html).toContain('data-label="Links">2<');
  expect(html).not.toContain('their order is no ranking');
});

it('names the link of a page to itself', () => {
  const part = { link: '/about', page: '/about', sent: 1, unknown: 1 };
  const html = renderToStaticMarkup(<PrefetchLedger groups={[createGroup('/about', part)]} by="page" query={query} />);
  expect(html).toContain('<summary>/about ');
});

it('is a sentence where nothing says what triggered any of them', () => {
  const unknown = createGroup(undefined, { sent: 2, unknown: 2 });
  const html = renderToStaticMarkup(<PrefetchLedger groups={[unknown]} by="trigger" query={query} />);
  expect(html).toContain('What triggered these prefetches is not known');
  expect(html).not.toContain('<table');
  const known = [createGroup('hover', { sent: 1, used: 1 }), unknown];
  expect(renderToStaticMarkup(<PrefetchLedger groups={known} by="trigger" query={query} />)).toContain('<table');
  expect(renderToStaticMarkup(<PrefetchLedger groups={[unknown]} by="page" query={query} />)).toContain('<table');
});

it('has a row for a route, however many links it has, which leads to its prefetches', () => {
  const groups = [createGroup('/products/[slug]', { link: '/products/item-1', sent: 9, unknown: 9 })];
  const html = renderToStaticMarkup(<PrefetchLedger groups={groups} by="route" query={query} />);
  expect(html).toContain('/products/item-1, from a page that is not known');
  expect(html).toContain('kind=prefetch&amp;route=%22%2Fproducts%2F%5Bslug%5D%22');
  expect(html).toContain('data-label="Links">2<');
});

it('says for which link a browser told that it was, and what triggered it', () => {
  const told = { text: 'Warm <socks>', place: 'nav > a:nth-child(2)' };
  const groups = [createGroup('/socks', { link: '/socks', page: '/', trigger: 'render', told, sent: 1, unused: 1 })];
  const html = renderToStaticMarkup(<PrefetchLedger groups={groups} by="link" query={query} />);
  expect(html).toContain(
    '“Warm &lt;socks&gt;”, from /, when the link was in the page, out of sight: 0 B wasted, 1 request, 0 used' +
      '<span class="code block">nav &gt; a:nth-child(2)</span>',
  );
});
