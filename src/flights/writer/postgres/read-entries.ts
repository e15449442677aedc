import {
  createFlightMeasure,
  listAttached,
  listFlightValues,
  nameContent,
  remembered,
  takeOutSecrets,
  type Attached,
  type FlightEntry,
  type MeasureHtml,
} from '../flight-values.ts';
import type { FlightHead } from '../../flight/flight-head.ts';
import type { Counted, GuardCounts } from '../count-for-guard.ts';
import { encode } from '../encode-bytes.ts';
import { nameTrace, rememberIn } from '../prepare.ts';

/**
 * A batch before it meets the database: all that takes the processor is done once, however often the transaction is tried.
 * What the database knows is added in write-rows.ts.
 */
export type ReadFlight = {
  readonly head: FlightHead;
  /** Of its content; undefined where it has none. */
  readonly body: string | undefined;
  /** The tab that the request named, or that is known of its trace. */
  readonly visit: string | null;
  readonly usedAt: number | null;
  readonly flightBytes: number | null;
  readonly attached: readonly Attached[];
};

export type NamedVisit = { readonly app: string; readonly traceId: string; readonly visit: string };

export type ReadEntries = {
  readonly flights: readonly ReadFlight[];
  /** By the content's name: its bytes, where they came along. */
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  /** Traces whose tab this batch names first. */
  readonly visits: readonly NamedVisit[];
  readonly counted: Counted | undefined;
};

/** A flight's values in the order of `insertedColumns`, when the id of its body is known. */
export function listRow({ head, visit, usedAt, flightBytes }: ReadFlight, bodyId: number | null) {
  return listFlightValues(head, { visit, usedAt, flightBytes, bodyId });
}

/** Compressed when the database turns out not to have it. */
export function packBody(bytes: Uint8Array) {
  return { bytes: bytes.length, ...encode(bytes) };
}

/** @param used prefetches that a browser reported as used before they were written, and when */
export function createEntryReader(used: Map<string, number>, guard?: GuardCounts) {
  const visits = new Map<string, string>();
  const measureFlight = createFlightMeasure();

  /** The tab that a flight belongs to. The document that began its trace gets it too (write-rows.ts). */
  function linkVisit({ visit, traceId, app }: FlightHead, named: Map<string, NamedVisit>): string | null {
    const key = nameTrace(app, traceId);
    if (visit === null) return visits.get(key) ?? null;
    if (visits.get(key) !== visit) {
      named.set(key, { app, traceId, visit });
      rememberIn(visits, key, visit, remembered);
    }
    return visit;
  }

  function takeUsedAt(requestId: string): number | null {
    const usedAt = used.get(requestId) ?? null;
    used.delete(requestId);
    return usedAt;
  }

  return {
    read(entries: Iterable<FlightEntry>, measureHtml?: MeasureHtml): ReadEntries {
      const named = new Map<string, NamedVisit>();
      const bodies = new Map<string, Uint8Array>();
      const flights: ReadFlight[] = [];
      for (const entry of entries) {
        const { head, payload } = entry;
        takeOutSecrets(entry);
        const body = nameContent(head, payload);
        guard?.look(head, payload, body);
        if (body !== undefined && (payload.length > 0 || !bodies.has(body))) bodies.set(body, payload);
        flights.push({
          head,
          body,
          visit: linkVisit(head, named),
          usedAt: takeUsedAt(head.requestId),
          flightBytes: measureFlight(head, payload, measureHtml),
          attached: listAttached(entry),
        });
      }
      return { flights, bodies, visits: [...named.values()], counted: guard?.take() };
    },
    /** After everything was deleted. */
    forget: () => visits.clear(),
  };
}
