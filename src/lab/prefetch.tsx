/**
 * Prefetching
 *
 * Thirty links come into view one after the other and are prefetched.
 *
 * Look for: Never more than five prefetches at once; what you point at goes first, and a click takes its prefetch over. The
 * flights of this visit show it.
 */
import { experimentPath, prefetchesPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { isStatic, numbers } from './prefetch/numbers.ts';

export const group = 'Navigation';
export const order = 1;
export const render = 'static';

export default function PrefetchLab() {
  return (
    <>
      <p>
        Scroll: pages near the screen are fetched ahead, at most five at once, and what you point at goes first. A click
        on a page that was fetched sends no request for 30 s, or for 300 s when the page is static. What was fetched,
        and which of it nobody used, is in{' '}
        <Link to={`${prefetchesPath}?own=1`} prefetch="never">
          the list of prefetches
        </Link>
        .
      </p>
      <p>
        And{' '}
        <Link to={experimentPath('throw-string')} prefetch="intent">
          one that fails
        </Link>
        : pointing at it is enough to record the error, and a click shows the digest that the prefetch got.
      </p>
      <ul>
        {numbers.map((number) => (
          <li key={number} style={{ paddingBlock: '2.5rem' }}>
            <Link to={experimentPath('prefetch', number)}>{`Page ${number}`}</Link>{' '}
            {isStatic(number) ? 'static' : 'dynamic'}
          </li>
        ))}
      </ul>
    </>
  );
}
