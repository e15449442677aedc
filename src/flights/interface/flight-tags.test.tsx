import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import { AppTag, PrefetchOutcomeTag } from './flight-tags.tsx';

const shop = { id: 'shop', name: 'A shop', isOwn: false };
const blog = { id: 'blog', name: 'A blog', isOwn: false };
const flight = { app: 'shop', framework: undefined };

test('the app stands in a row only where the list may be of another one', () => {
  expect(renderToStaticMarkup(<AppTag flight={flight} apps={[shop, blog]} />)).toContain('>A shop<');
  expect(renderToStaticMarkup(<AppTag flight={flight} apps={[shop]} />)).toBe('');
  expect(renderToStaticMarkup(<AppTag flight={flight} apps={[]} />)).toBe('');
  // One that was deleted.
  expect(renderToStaticMarkup(<AppTag flight={flight} apps={[blog]} />)).toContain('>shop<');
});

test('what may have been a click is never called a used prefetch, and what a browser told is called so', () => {
  const either = {
    kind: 'navigation-or-prefetch',
    prefetchOutcome: undefined,
    usedAt: undefined,
    toldAt: undefined,
  } as const;
  const render = (given: Partial<Parameters<typeof PrefetchOutcomeTag>[0]['flight']>) =>
    renderToStaticMarkup(<PrefetchOutcomeTag flight={{ ...either, ...given }} />);
  expect(render({})).toBe('');
  expect(render({ usedAt: 5 })).toContain('>shown<');
  expect(render({ kind: 'navigation' })).toBe('');
  expect(render({ kind: 'navigation', toldAt: 5 })).toContain('>reported<');
  expect(render({ kind: 'prefetch', prefetchOutcome: 'used', usedAt: 5, toldAt: 5 })).toContain('>used, reported<');
});
