/**
 * A list that streams
 *
 * Eight results are found one after the other, 120 ms apart. Each has a Suspense boundary of its own, or one boundary holds them
 * all.
 *
 * Look for: The waterfall. With a boundary each, the first result is shown after 120 ms and the page fills up; with one for all,
 * the same rows arrive at the same times, and the reader sees nothing until the last one, after a second.
 */
import { Suspense } from 'react';

import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { wait } from './wait.ts';

export const group = 'What goes over the wire';
export const order = 3;

const results = [1, 2, 3, 4, 5, 6, 7, 8];

async function Result({ number }: { number: number }) {
  await wait(number * 120);
  return <li>Result {number}</li>;
}

export default function StreamingList({ query }: { query: URLSearchParams }) {
  const isTogether = query.get('boundaries') === 'one';
  return (
    <>
      <p>
        Boundaries:{' '}
        <Link to={experimentPath('streaming-list')} prefetch="never">
          one each
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('streaming-list')}?boundaries=one`} prefetch="never">
          one for all
        </Link>
        .
      </p>
      {isTogether ? (
        <Suspense fallback={<p>Looking for all of them …</p>}>
          <ul>
            {results.map((number) => (
              <Result key={number} number={number} />
            ))}
          </ul>
        </Suspense>
      ) : (
        <ul>
          {results.map((number) => (
            <Suspense key={number} fallback={<li>Looking for result {number} …</li>}>
              <Result number={number} />
            </Suspense>
          ))}
        </ul>
      )}
    </>
  );
}
