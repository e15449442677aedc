/**
 * A large list
 *
 * A list of 500 lines is sent as elements that the server makes, or as strings over which one client component loops. Both show the
 * same; a link chooses. Do 500 elements cost more bytes than 500 strings?
 *
 * Look for: An element costs about 54 bytes, a string 11: an element has its tag, its key and the name of its prop beside the text.
 * With gzip the elements are still almost four times as large. There are 400 rows because React splits a large one: after 3,200
 * characters each further element gets a row of its own.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Lines } from './large-list/lines.tsx';

export const group = 'A course, step by step';
export const order = 4;

const lines = Array.from({ length: 500 }, (_, index) => `Line ${index + 1}`);

export default function LargeList({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        Send{' '}
        <Link to={experimentPath('large-list')} prefetch="never">
          elements
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('large-list')}?as=data`} prefetch="never">
          data
        </Link>
        .
      </p>
      {query.get('as') === 'data' ? (
        <Lines lines={lines} />
      ) : (
        <ul className="columns-3">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}
