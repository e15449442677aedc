import type { PrerenderedFile } from '#src/server/http/request-context.ts';

import type { FlightHead } from '../flight/flight-head.ts';
import { describePrerendered, type Answer, type Recording } from './recording.ts';
import { readNamedVisit } from '../flight/request-facts.ts';

/**
 * Counts hits of prerendered pages above a rate. A page from a file costs a few dozen microseconds, and to record it half as much
 * again, while the thousandth hit in a second says nothing new. So in each second the first hits of a file are flights of their
 * own. The others become one row, which describes the first of them, and says how many there were and when the last began.
 *
 * Hits are counted together when file, path, kind, status and the bytes that were sent are the same. Hits that name a tab are counted apart
 * from those that do not: so a flood of requests from strangers does not hide the navigations of visits.
 */

/** Of one file in a second. Twenty files at this rate cost a hundredth of a processor; nobody reads a list any faster. */
export const hitsPerSecond = 20;
const windowMs = 1_000;
/**
 * One file has a path, one or two kinds, each with and without a tab, and four answers: three codings, and none at all. Beyond this,
 * hits are flights of their own.
 */
const countsPerFile = 16;

/** The file was sent, or the browser had it already. A hit with any other status is a flight of its own. */
const plainStatuses = new Set([200, 304]);

type Count = {
  readonly path: string;
  readonly kind: FlightHead['kind'];
  readonly status: number;
  readonly isOfVisit: boolean;
  readonly sentBytes: number | undefined;
  /** Number of the second, from the process's start. */
  window: number;
  seen: number;
  /** Of the first hit that was counted in this window. */
  head: FlightHead | undefined;
  /** Since they were last handed over. */
  hits: number;
  lastAt: number;
  /** Of this window, handed over before. */
  hitsBefore: number;
};

/** Called with a row; the file's content may have to be sent along. */
type AddRow = (head: FlightHead, file: PrerenderedFile) => void;

export type HitCounts = {
  /** False when the hit is to be recorded as a flight of its own. To be called once for each that was answered. */
  readonly count: (recording: Recording) => boolean;
  /** Hands over what was counted since it was last called. */
  readonly drain: () => void;
};

function isPlain({ request, flight, answer, url }: Recording): boolean {
  return (
    answer !== undefined &&
    plainStatuses.has(answer.status) &&
    request.method === 'GET' &&
    request.digests.length === 0 &&
    flight.status === 'none' &&
    !url.includes('?')
  );
}

function createCount({ request, kind }: Recording, { status, sentBytes }: Answer, isOfVisit: boolean): Count {
  const window = Number.NaN;
  const none = { head: undefined, hits: 0, lastAt: 0, hitsBefore: 0 };
  return { path: request.path, kind, status, isOfVisit, sentBytes, window, seen: 0, ...none };
}

/** Describes the first hit without its visit, its trace and where it came from: those of the other hits are not kept. */
function describeFirst(recording: Recording, file: PrerenderedFile): FlightHead {
  return {
    ...describePrerendered(recording, file),
    traceId: '',
    visit: null,
    fromPath: null,
    trigger: null,
    parent: null,
  };
}

export function createHitCounts(addRow: AddRow): HitCounts {
  const counts = new WeakMap<PrerenderedFile, Count[]>();
  const waiting = new Map<Count, PrerenderedFile>();

  function find(recording: Recording, file: PrerenderedFile, answer: Answer): Count | undefined {
    const { request, kind } = recording;
    // No browser names a tab when it asks for a document.
    const isOfVisit = kind !== 'document' && readNamedVisit(recording.headers) !== null;
    const known = counts.get(file) ?? [];
    for (const one of known) {
      const isSameAnswer = one.status === answer.status && one.sentBytes === answer.sentBytes;
      const isSame = isSameAnswer && one.kind === kind && one.isOfVisit === isOfVisit;
      if (isSame && one.path === request.path) return one;
    }
    if (known.length >= countsPerFile) return undefined;
    const count = createCount(recording, answer, isOfVisit);
    counts.set(file, [...known, count]);
    return count;
  }

  function handOver(count: Count, file: PrerenderedFile): void {
    const { head, hits, lastAt, hitsBefore } = count;
    if (!head || hits === 0) return;
    count.hits = 0;
    count.hitsBefore += hits;
    addRow({ ...head, hits, lastAt, hitsBefore }, file);
  }

  function begin(count: Count, file: PrerenderedFile, window: number): void {
    if (waiting.delete(count)) handOver(count, file);
    Object.assign(count, { window, seen: 0, head: undefined, hitsBefore: 0 });
  }

  return {
    count(recording) {
      const file = recording.request.prerendered;
      if (!file || !recording.answer || !isPlain(recording)) return false;
      const count = find(recording, file, recording.answer);
      if (!count) return false;
      const window = Math.floor(recording.begun / windowMs);
      if (count.window !== window) begin(count, file, window);
      count.seen += 1;
      if (count.seen <= hitsPerSecond) return false;
      count.head ??= describeFirst(recording, file);
      count.hits += 1;
      count.lastAt = recording.request.startedAt;
      if (count.hits === 1) waiting.set(count, file);
      return true;
    },
    drain() {
      for (const [count, file] of waiting) handOver(count, file);
      waiting.clear();
    },
  };
}
