import type { ExportedFlight } from '#src/flights/telemetry/exported.ts';

import type { FlightHead } from '../flight/flight-head.ts';

/**
 * What was committed since somebody asked: counted for `/metrics`, and told to telemetry where there is any. Every flight passes
 * here, whoever recorded it, in the process that writes it into the file; so each is told once. What is only on its way to a
 * recorder elsewhere is told there.
 */
export type WrittenCount = {
  readonly app: string;
  readonly outcome: FlightHead['outcome'];
  /** Hits count as flights. */
  readonly flights: number;
  readonly bytes: number;
};

/** What came of a flight: a row, hits of a row that was there, or nothing because it was there. */
export type Inserted = 'row' | 'hits' | 'known';

/** Told of each flight that was committed. */
export type TellFlights = (flights: readonly ExportedFlight[]) => void;

export type Written = {
  /** Of a transaction that is not committed yet. */
  readonly note: (head: FlightHead, inserted: Inserted) => void;
  readonly commit: () => void;
  readonly rollback: () => void;
  /** Since the last call. */
  readonly take: () => readonly WrittenCount[];
};

function toExported(head: FlightHead): ExportedFlight {
  const { requestId, traceId, parent, app, kind, method, path, route, status, outcome, rendering, source } = head;
  const { build, actionId, digests, bytes, sentBytes, startedAt, durationMs, chunks } = head;
  return {
    requestId,
    traceId,
    parent,
    app,
    kind,
    method,
    path,
    route,
    status,
    outcome,
    rendering,
    source,
    build,
    actionId,
    digests,
    bytes,
    sentBytes,
    startedAt,
    durationMs,
    chunks,
    framework: head.knownFramework,
  };
}

/** @param tell undefined where nobody is told */
export function createWritten(tell: TellFlights | undefined): Written {
  const counts = new Map<string, WrittenCount>();
  let noted: WrittenCount[] = [];
  let told: ExportedFlight[] = [];

  function forget(): void {
    noted = [];
    told = [];
  }

  return {
    note(head, inserted) {
      if (inserted === 'known') return;
      const { app, outcome, hits, bytes } = head;
      noted.push({ app, outcome, flights: hits, bytes: hits * bytes });
      // Hits that are counted together are many requests, without a trace: they are no span.
      if (tell && inserted === 'row' && head.lastAt === null) told.push(toExported(head));
    },
    commit() {
      for (const one of noted) {
        const key = `${one.app} ${one.outcome}`;
        const known = counts.get(key);
        const flights = one.flights + (known?.flights ?? 0);
        counts.set(key, { ...one, flights, bytes: one.bytes + (known?.bytes ?? 0) });
      }
      if (told.length > 0) tell?.(told);
      forget();
    },
    rollback: forget,
    take() {
      const taken = [...counts.values()];
      counts.clear();
      return taken;
    },
  };
}
