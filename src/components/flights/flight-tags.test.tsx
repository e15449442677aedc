import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';

import { AppTag } from './flight-tags.tsx';

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
