/**
 * Prerendered against dynamic
 *
 * The same component twice: this page was rendered when the app was built, and the page behind the link is rendered for each
 * request.
 *
 * Look for: The time that the page says. This page’s flights are marked as prerendered, and their bytes are those of the
 * build: the answer has an ETag, and a browser that has the page is told 304. The other page is rendered anew for each
 * request.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { RenderedAt } from './prerendered/rendered-at.tsx';

export const group = 'What goes over the wire';
export const order = 10;
export const render = 'static';

export default function Prerendered() {
  return (
    <>
      <RenderedAt />
      <p>
        <Link to={experimentPath('prerendered', 'dynamic')} prefetch="never">
          The same, for each request
        </Link>
      </p>
    </>
  );
}
