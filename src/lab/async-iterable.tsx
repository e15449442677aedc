/**
 * An async iterable
 *
 * The server gives a client component an async generator that yields a line of a log every 200 ms. The component reads it with
 * `for await`, in the browser.
 *
 * Look for: A row that is only `X` opens the iterable, each line is one more row with the same id, and the last one is `C`:
 * closed. The waterfall shows all seven, and the response ends with the generator.
 */
import { LogLines } from './async-iterable/log-lines.tsx';
import { wait } from './wait.ts';

export const group = 'What goes over the wire';
export const order = 9;

async function* readLog() {
  for (const line of ['Fuel: 98 %', 'Engine on', 'Lift-off', 'Gear up', 'Level at 10,000 m']) {
    await wait(200);
    yield line;
  }
}

export default function AsyncIterable() {
  return <LogLines lines={{ [Symbol.asyncIterator]: readLog }} />;
}
