/**
 * Slow page
 *
 * The server waits before it answers.
 *
 * Look for: Below 3.8 s the page changes in place, above it the browser loads it as a document instead.
 */
import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { PushButton } from './push-button.tsx';
import { wait } from './wait.ts';

export const group = 'Navigation';
export const order = 2;

/** A visitor cannot make a render take longer. */
const longestMs = 30_000;
const defaultMs = 2_000;

/** `ms` of the query, in 0 to 30,000; anything that is not a number is 2,000. */
export function readDelay(query: URLSearchParams): number {
  const text = query.get('ms') ?? '';
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), longestMs) : defaultMs;
}

async function Answer({ ms }: { ms: number }) {
  await wait(ms);
  return <p>The server waited {ms} ms.</p>;
}

export default function SlowLab({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        Choose how long. Another page{' '}
        <Link to={experimentPath('stalled')} prefetch="never">
          stalls
        </Link>{' '}
        halfway.
      </p>
      <ul>
        {[500, 2_000, 6_000].map((ms) => (
          <li key={ms} className="py-0.5">
            <Link to={`${experimentPath('slow')}?ms=${ms}`} prefetch="never">
              {`Wait ${ms} ms`}
            </Link>
          </li>
        ))}
      </ul>
      <PushButton href={`${experimentPath('slow')}?ms=300`}>Wait 300 ms</PushButton>
      <Answer ms={readDelay(query)} />
    </>
  );
}
