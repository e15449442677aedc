/**
 * An async iterable
 *
 * The server gives a client component an async generator, which yields a line of a log every 200 ms. The component reads it with
 * `for await`, in the browser. How does the server send a value that is not finished?
 *
 * Look for: Seven rows have one id: `X` begins the iterable, five hold a line each, `C` closes it. A line is `T`, its length in
 * bytes (`a` is 10), a comma and the text; no newline follows. The response ends with the generator.
 */
import { LogLines } from './async-iterable/log-lines.tsx';
import { wait } from './wait.ts';

export const group = 'A course, step by step';
export const order = 8;

async function* readLog() {
  for (const line of ['Fuel: 98 %', 'Engine on', 'Lift-off', 'Gear up', 'Level at 10,000 m']) {
    await wait(200);
    yield line;
  }
}

export default function AsyncIterable() {
  // An object that begins a new log each time it is read. The generator itself could be read once, and would be an `x` row.
  return <LogLines lines={{ [Symbol.asyncIterator]: readLog }} />;
}
