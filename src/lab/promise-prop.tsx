/**
 * A promise as a prop
 *
 * The server starts to fetch a forecast, and gives the promise to a client component; with the second link it waits, and gives the
 * value. Who waits for a promise that is given to a client component?
 *
 * Look for: The prop is `"$@…"`, a promise of a row that is not there yet. The rest of the page is shown, and the promise’s row
 * comes 600 ms later: the client component waits, in its place. Where the server waits, the component’s own row is as late as the
 * forecast.
 */
import { Suspense } from 'react';

import { experimentPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Forecast } from './promise-prop/forecast.tsx';
import { wait } from './wait.ts';

export const group = 'A course, step by step';
export const order = 7;

async function fetchForecast(): Promise<string> {
  await wait(600);
  return 'Rain until noon, then clear.';
}

async function WaitingForecast() {
  return <Forecast forecast={await fetchForecast()} />;
}

export default function PromiseProp({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        Give{' '}
        <Link to={experimentPath('promise-prop')} prefetch="never">
          the promise
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('promise-prop')}?give=value`} prefetch="never">
          the value
        </Link>
        .
      </p>
      <Suspense fallback={<p>The forecast is on its way.</p>}>
        {query.get('give') === 'value' ? <WaitingForecast /> : <Forecast forecast={fetchForecast()} />}
      </Suspense>
    </>
  );
}
