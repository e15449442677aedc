import 'server-only';

import { experimentPath, prefetchesPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { currentRequest } from '#src/http/request-context.ts';

const pageCount = 30;
/** Every third page is prerendered. */
const isStatic = (number: number) => number % 3 === 0;

const numbers = Array.from({ length: pageCount }, (_, index) => index + 1);

export const staticNumbers = numbers.filter(isStatic).map(String);

/** Whether `text` is the number of one of the pages. */
export function isPageNumber(text: string): boolean {
  return numbers.some((number) => String(number) === text);
}

export function PrefetchLab() {
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

export function PrefetchedPage({ number }: { number: string }) {
  const request = currentRequest();
  const renderedAt = request ? new Date(request.startedAt).toISOString() : 'build time';
  return (
    <>
      <h1>{`Page ${number}`}</h1>
      <p>{`Rendered at ${renderedAt}.`}</p>
      <p>
        <Link to={experimentPath('prefetch')}>Back to the links</Link> ·{' '}
        <Link to={`${experimentPath('prefetch', number)}#end`}>To the end</Link>
      </p>
      <p id="end">This is the end.</p>
    </>
  );
}
