/**
 * A promise as a prop
 *
 * The server starts to fetch a forecast and does not wait for it: a client component is given the promise. With the second link
 * the server waits and gives the value.
 *
 * Look for: In the rows, the prop is `"$@…"`, a reference to a row that is not there yet. It comes 600 ms later, alone, when the
 * rest of the page has been shown for long. Where the server waits, the component’s own row is as late as the forecast.
 */
import { Suspense } from 'react';

import { experimentPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Forecast } from './promise-prop/forecast.tsx';
import { wait } from './wait.ts';

export const group = 'What goes over the wire';
export const order = 2;

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
