import 'server-only';

import type { FlightHead } from './flight-head.ts';
import type { FlightShape } from './writer/messages.ts';

/**
 * Heads on their way to the writing thread. As JSON, one each, they were the most of what recording an action costs the
 * thread that serves. But most of a head is the same for all flights of a page: its shape, which goes once in a batch. What is
 * left is numbers, which go as they are, and a few ids. `writer/read-entries.ts` is the other end.
 */

/** Flights of one path are alike but for kind, status and what they left out. Beyond this each has a shape of its own. */
const shapesPerPath = 8;

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function isSameAction(one: FlightShape['action'], other: FlightShape['action']): boolean {
  return one?.id === other?.id && one?.contentType === other?.contentType;
}

/** Field by field: a key made of all of them would have to be put together for each flight. */
function isSameShape(one: FlightShape, other: FlightShape): boolean {
  return (
    one.kind === other.kind &&
    one.status === other.status &&
    one.method === other.method &&
    one.path === other.path &&
    one.query === other.query &&
    one.route === other.route &&
    one.build === other.build &&
    one.rendering === other.rendering &&
    one.content === other.content &&
    one.outcome === other.outcome &&
    one.etag === other.etag &&
    isSameAction(one.action, other.action) &&
    isSameList(one.elements, other.elements) &&
    isSameList(one.elided, other.elided)
  );
}

/** Nothing of the one flight: a shape is remembered for as long as its batch. */
export function describeShape(head: FlightHead): FlightShape {
  const { kind, method, path, query, route, build, status, rendering, content, outcome } = head;
  const { etag, elements, elided, action } = head;
  const named = action && { id: action.id, contentType: action.contentType };
  const page = { kind, method, path, query, route, build, status, rendering, content, outcome };
  return { ...page, etag, elements, elided, action: named };
}

/** The shapes of a batch, by number. */
export function createShapes() {
  const known = new Map<string, { readonly shape: FlightShape; readonly index: number }[]>();
  return {
    /** -1 when it is a new one. */
    find(head: FlightHead): number {
      const ofPath = known.get(head.path);
      if (!ofPath) return -1;
      for (const one of ofPath) if (isSameShape(one.shape, head)) return one.index;
      return -1;
    },
    remember(shape: FlightShape, index: number): void {
      const ofPath = known.get(shape.path);
      if (!ofPath) known.set(shape.path, [{ shape, index }]);
      else if (ofPath.length < shapesPerPath) ofPath.push({ shape, index });
    },
  };
}

/** Ids and digests are of letters and digits, and JSON has no line break, so a line break tells them apart. */
export function packText({ requestId, traceId, visit, digests, secrets }: FlightHead): string {
  const listed = secrets.length === 0 ? '' : JSON.stringify(secrets);
  return `${requestId}\n${traceId}\n${visit ?? ''}\n${digests.join(',')}\n${listed}`;
}

/** `numbersInHead` of them, and three for each chunk. */
export function packNumbers(head: FlightHead, to: Float64Array, at: number): void {
  const { counted, chunks } = head;
  to[at] = head.startedAt;
  to[at + 1] = head.durationMs;
  to[at + 2] = head.bytes;
  to[at + 3] = head.keptBytes;
  to[at + 4] = head.debugBytes;
  to[at + 5] = head.action?.bytes ?? 0;
  to[at + 6] = counted?.hits ?? 0;
  to[at + 7] = counted?.lastAt ?? 0;
  to[at + 8] = counted?.isMore ? 1 : 0;
  let next = at + 9;
  for (const [ms, bytes, isDebug] of chunks) {
    to[next] = ms;
    to[next + 1] = bytes;
    to[next + 2] = isDebug;
    next += 3;
  }
}
