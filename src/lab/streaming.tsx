/**
 * Streaming page
 *
 * A page arrives in six parts, each later than the one before.
 *
 * Look for: The browser waits for a stream that moves, however long it takes.
 */
import { Suspense } from 'react';

import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { wait } from './wait.ts';

export const group = 'Navigation';
export const order = 4;

const parts = [1, 2, 3, 4, 5, 6] as const;
/**
 * With holes, the parts should be seen arriving. As a whole, it has to take longer than the loading timeout of 3.8 s.
 */
const intervalsMs = { holes: 400, whole: 1_000 } as const;

async function Part({ number, ms }: { number: number; ms: number }) {
  await wait(ms);
  return <p>{`Part ${number} after ${ms} ms.`}</p>;
}

export default function StreamingLab({ query }: { query: URLSearchParams }) {
  const mode = query.has('whole') ? 'whole' : 'holes';
  return (
    <>
      <p>
        Six parts arrive one after the other. With{' '}
        <Link to={experimentPath('streaming')} prefetch="never">
          holes
        </Link>{' '}
        the page shows at once and fills up. As a{' '}
        <Link to={`${experimentPath('streaming')}?whole`} prefetch="never">
          whole
        </Link>{' '}
        it shows when the last part is there, after 6 s: the browser waits for a stream that moves, however long it
        takes.
      </p>
      {parts.map((number) => {
        const part = <Part number={number} ms={number * intervalsMs[mode]} />;
        if (mode === 'whole') return <div key={number}>{part}</div>;
        return (
          <Suspense key={number} fallback={<p>{`Part ${number} is on its way.`}</p>}>
            {part}
          </Suspense>
        );
      })}
    </>
  );
}
