import { diffFlights, type Flight, type FlightDiff } from '#flight';

export type CompareTask = { readonly before: Flight; readonly after: Flight };

/** Up to this size together the page itself compares: some 50 ms, about what it takes to start a worker. */
const largestInline = 128 * 1024;

function compareInWorker(task: CompareTask): Promise<FlightDiff> {
  const worker = new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<FlightDiff>((resolve, reject) => {
    worker.addEventListener('message', (event: MessageEvent<FlightDiff>) => resolve(event.data));
    worker.addEventListener('error', (event) => reject(new Error(`The comparing worker failed: ${event.message}`)));
    worker.addEventListener('messageerror', () => reject(new Error('The comparison could not be read')));
    worker.postMessage(task, []);
  }).finally(() => worker.terminate());
}

/** Compares two flights where it does not block the page. */
export async function compareFlights({ before, after }: CompareTask): Promise<FlightDiff> {
  if (before.bytes.length + after.bytes.length > largestInline) return compareInWorker({ before, after });
  return diffFlights(before, after);
}
