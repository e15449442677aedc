import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { currentRequest, runInRequest, type RequestContext } from '#src/server/http/request-context.ts';

import type { FlightFilter } from './match-flights.ts';
import { listFlights } from './queries.ts';
import { subscribeFlights } from '../recorder/follow-flights.ts';

/**
 * How many flights and faults a list does not show yet, as server-sent events, as long as a page is open. The number is sent at once and
 * whenever more flights were written, so a reader that connects again has missed nothing.
 */

/**
 * The stream ends after this time; the reader connects again, and its session is checked again. Shorter than the minute after which
 * this server and most proxies close an idle connection.
 */
export const lifetimeMs = 50_000;
const retryMs = 1_000;
/** Other apps report their errors without a flight. One query, which reads the end of an index. */
const faultsEveryMs = 5_000;
/** Open tabs of a few operators. Each costs a query whenever flights are written. */
const mostStreams = 32;
/** As many as a list shows at once: more is "many". */
const mostCounted = 100;

type FlightCounts = {
  /** At most a hundred. */
  readonly count: number;
  /** For a page that shows faults too. */
  readonly faults?: number;
};

type Source = {
  readonly request: RequestContext;
  readonly count: () => Promise<FlightCounts>;
  /** Whether something may be new without a flight: then it is asked now and then. */
  readonly asksByItself: boolean;
  /** Calls back when the process is about to end. */
  readonly onDraining: (listener: () => void) => () => void;
};

let streams = 0;
const encoder = new TextEncoder();

/** Calls `tell` with each new count, one question at a time, until it is stopped. */
function follow(
  { request, count, asksByItself, onDraining }: Source,
  tell: (json: string) => void,
  end: (error?: unknown) => void,
) {
  let isOpen = true;
  let isAsking = false;
  let isStale = true;
  let told: string | undefined;

  function stop(): void {
    if (!isOpen) return;
    isOpen = false;
    streams -= 1;
    unsubscribe();
    keepRunning();
    clearTimeout(timer);
    clearInterval(asking);
  }

  async function ask(): Promise<void> {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    try {
      while (isStale && isOpen) {
        isStale = false;
        const counted = JSON.stringify(await count());
        if (isOpen && counted !== told) tell((told = counted));
      }
      isAsking = false;
    } catch (error) {
      finish(error);
    }
  }

  function finish(error?: unknown): void {
    if (!isOpen) return;
    stop();
    end(error);
  }

  streams += 1;
  // The writer calls back outside of any request; the recording is read on behalf of this request.
  const unsubscribe = subscribeFlights(() => void runInRequest(request, ask));
  const keepRunning = onDraining(finish);
  const timer = setTimeout(finish, lifetimeMs);
  const asking = asksByItself ? setInterval(() => void runInRequest(request, ask), faultsEveryMs) : undefined;
  void ask();
  return stop;
}

type StreamOptions = {
  readonly onDraining: Source['onDraining'];
  /** How many faults a page does not show yet. */
  readonly countFaults?: (() => Promise<number>) | undefined;
};

/**
 * 503 when there are too many of them already.
 * @param since undefined: the page shows no flights
 */
export function streamFlightCounts(
  filter: FlightFilter,
  since: number | undefined,
  { onDraining, countFaults }: StreamOptions,
): Response {
  requireOperator();
  const request = currentRequest();
  if (!request || streams >= mostStreams) return new Response(null, { status: 503, headers: { 'retry-after': '10' } });
  async function count(): Promise<FlightCounts> {
    const flights = since === undefined ? [] : (await listFlights(filter, { since, limit: mostCounted })).flights;
    return { count: flights.length, ...(countFaults ? { faults: await countFaults() } : {}) };
  }
  const source = { request, count, asksByItself: countFaults !== undefined, onDraining };
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
      stop = follow(
        source,
        (json) => controller.enqueue(encoder.encode(`data: ${json}\n\n`)),
        (error) => (error === undefined ? controller.close() : controller.error(error)),
      );
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'private, no-store' } });
}
