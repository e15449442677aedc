import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { writeFlightFile } from '#flight';
import { describeError } from '#boundary';

import { toFlightFile, type FlightToWrite } from '../flight/to-flight-file.ts';
import type { RecorderAddress } from '#report/recorder-url.ts';

/**
 * Sends what a proxy recorded to a recorder on another machine: docs/receiving-flights.md. The proxy's own recording file is the
 * spool. What was sent is deleted from it; while the other machine does not answer, it fills up to its limit, and then the
 * oldest flights go, as in any recording. It survives the end of the process.
 *
 * A batch that was sent and got no answer is sent again: the receiver knows a flight by its request id.
 */
export type Spool = {
  /** Oldest first. */
  readonly readOldest: (limit: number) => Iterable<FlightToWrite & { readonly id: number }>;
  /** Deletes what was sent. */
  readonly forget: (ids: readonly number[]) => void;
};

/** What the process's log says. `lost` are flights that nobody will see. */
export type ShippingNote =
  | { readonly type: 'waiting'; readonly reason: string }
  | { readonly type: 'sending' }
  | { readonly type: 'lost'; readonly count: number; readonly reason: string };

/** The receiver takes 1 MiB as sent, 8 MiB unpacked and 2,000 lines. Half a batch more of the second would be refused. */
const sentBytes = 1024 * 1024;
const unpackedBytes = 4 * 1024 * 1024;
const flightsAtOnce = 500;
/** Somebody watches the list there. */
const soonMs = 250;
/** The receiver waits 30 s for a body; this includes its answer. */
const answerMs = 40_000;
/** At a stop the process waits for one batch. What is not sent is in the spool. */
const lastAnswerMs = 3_000;
const [firstRetryMs, longestRetryMs] = [1_000, 60_000];

const pack = promisify(gzip);

type Batch = { readonly ids: readonly number[]; readonly text: string };

type Verdict =
  | { readonly type: 'taken' }
  /** The same again, later. */
  | { readonly type: 'later'; readonly reason: string; readonly afterMs: number | undefined }
  /** Something in this batch will never be taken. */
  | { readonly type: 'unwanted'; readonly reason: string };

/** Whole flights, as many as fit; one at least. */
function readBatch(spool: Spool, limit: number): Batch {
  const ids: number[] = [];
  const lines: string[] = [];
  let length = 0;
  for (const flight of spool.readOldest(limit)) {
    const line = writeFlightFile(toFlightFile(flight));
    if (ids.length > 0 && length + line.length > unpackedBytes) break;
    ids.push(flight.id);
    lines.push(line);
    length += line.length;
  }
  return { ids, text: lines.join('') };
}

function readRetryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1_000, longestRetryMs) : undefined;
}

async function judge(response: Response): Promise<Verdict> {
  // The connection can be used again when the body was read. It is short.
  await response.text();
  if (response.ok) return { type: 'taken' };
  const reason = `it answered ${response.status}`;
  if (response.status === 400 || response.status === 413) return { type: 'unwanted', reason };
  return { type: 'later', reason, afterMs: readRetryAfter(response) };
}

async function send({ base, app, key }: RecorderAddress, text: string, signal: AbortSignal): Promise<Verdict> {
  const body = await pack(text);
  if (body.length > sentBytes) return { type: 'unwanted', reason: `it is larger than ${sentBytes} bytes, packed` };
  try {
    // oxlint-disable-next-line house/addresses -- of the recorder there, whatever is mounted here
    const response = await fetch(`${base}/api/${app}/flights`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(body),
      redirect: 'error',
      signal,
    });
    return await judge(response);
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined };
    return { type: 'later', reason: describeError(cause ?? error), afterMs: undefined };
  }
}

export type Shipping = {
  /** After flights were written. */
  readonly plan: () => void;
  /** Sends one last batch and ends. */
  readonly stop: () => Promise<void>;
};

export function startShipping(address: RecorderAddress, spool: Spool, note: (note: ShippingNote) => void): Shipping {
  let timer: NodeJS.Timeout | undefined;
  let inFlight: Promise<void> | undefined;
  let limit = flightsAtOnce;
  let retryMs = firstRetryMs;
  let isWaiting = false;
  let isStopped = false;
  /** The id of the flight that went last. */
  let last: number | undefined;

  function plan(afterMs: number = soonMs): void {
    if (isStopped || inFlight) return;
    timer ??= setTimeout(run, afterMs).unref();
  }

  function noteWaiting(reason: string): void {
    if (!isWaiting) note({ type: 'waiting', reason });
    isWaiting = true;
  }

  /** Ids are given in order. Those between two batches were deleted to make room. */
  function noteGap({ ids: [first = 0] }: Batch): void {
    const count = last === undefined ? 0 : first - last - 1;
    if (count > 0) note({ type: 'lost', count, reason: 'the spool was full' });
  }

  /** @returns after how long to go on; undefined: when there is something new */
  function settle({ ids }: Batch, verdict: Verdict): number | undefined {
    switch (verdict.type) {
      case 'taken':
        spool.forget(ids);
        last = ids.at(-1);
        if (isWaiting) note({ type: 'sending' });
        [isWaiting, retryMs, limit] = [false, firstRetryMs, Math.min(limit * 2, flightsAtOnce)];
        return 0;
      case 'unwanted':
        // Halves, until the one that is not taken is alone.
        limit = Math.max(1, Math.floor(ids.length / 2));
        if (ids.length > 1) return 0;
        spool.forget(ids);
        last = ids.at(-1);
        note({ type: 'lost', count: 1, reason: verdict.reason });
        return 0;
      case 'later': {
        noteWaiting(verdict.reason);
        const wait = verdict.afterMs ?? retryMs;
        retryMs = Math.min(retryMs * 2, longestRetryMs);
        return wait;
      }
    }
  }

  async function shipOne(waitMs: number): Promise<number | undefined> {
    try {
      const batch = readBatch(spool, limit);
      if (batch.ids.length === 0) return undefined;
      const verdict = await send(address, batch.text, AbortSignal.timeout(waitMs));
      if (verdict.type !== 'later') noteGap(batch);
      return settle(batch, verdict);
    } catch (error) {
      // The spool cannot be read or changed: damage, or a full disk. The writer says which.
      noteWaiting(describeError(error));
      return longestRetryMs;
    }
  }

  async function ship(): Promise<void> {
    const afterMs = await shipOne(answerMs);
    inFlight = undefined;
    if (afterMs !== undefined) plan(afterMs);
  }

  function run(): void {
    timer = undefined;
    inFlight = ship();
  }

  plan(0);
  return {
    plan: () => plan(),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      const late = Promise.withResolvers<void>();
      const ending = setTimeout(late.resolve, lastAnswerMs);
      await Promise.race([inFlight, late.promise]);
      if (!isWaiting) await shipOne(lastAnswerMs);
      clearTimeout(ending);
    },
  };
}
