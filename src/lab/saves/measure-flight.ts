import 'server-only';

import { gzipSync } from 'node:zlib';

import { analyzeFlight, decodeFlight, nameModule, readFailures, readHeader, visitFlight, type Flight } from '#flight';

import { readPlain } from '../read-plain.ts';
import { findCaught, type Caught } from './find-caught.ts';
import { isPage } from './is-page.ts';
import { readWaits, type Wait } from './read-waits.ts';

/** What one rendering of an experiment costs on the wire, without what development adds. Pure: bytes and times in, numbers out. */
export type FlightMeasure = {
  readonly bytes: number;
  readonly gzip: number;
  readonly rows: number;
  /** Bytes of the recorded payload that are not counted: debug rows, the layout, and what else development adds. */
  readonly leftOut: number;
  /** Names of the client modules the experiment itself brings, in order; one name for each. */
  readonly modules: readonly string[];
  /** Bytes that are sent again. */
  readonly repeated: number;
  /** Bytes that a person reads. */
  readonly text: number;
  /** Errors in the payload. An experiment may be about them. */
  readonly errors: number;
  /** All of them are within error boundaries of the experiment's own. */
  readonly caught: Caught | undefined;
  readonly waits: readonly Wait[];
  /** Elements that no browser can show, because their type is undefined: an import that its file does not export. */
  readonly untyped: number;
};

type RecordedPayload = {
  readonly bytes: Uint8Array;
  readonly chunks: readonly { readonly ms: number; readonly bytes: number }[];
};

/** Rows of client modules whose names differ only by what the bundler adds are one module. */
function listModules(
  modules: readonly { readonly module: string; readonly name: string; readonly isFrameworks: boolean }[],
) {
  const names = new Map<string, string>();
  for (const module of modules) {
    if (!module.isFrameworks) names.set(`${module.module}#${module.name}`, nameModule(module));
  }
  return [...names.values()];
}

/** As React writes them. In the JSON of a row no text can hold these bytes: its quotes are escaped. */
const untyped = '["$","$undefined",';

function countUntyped(flight: Flight): number {
  const rows = new Set<number>();
  visitFlight(flight, {
    text: (text, row) => void (text === '$undefined' && rows.add(row)),
  });
  return [...rows].reduce((count, row) => {
    const { start, end } = readHeader(flight.rows, row);
    return count + Buffer.from(flight.bytes.subarray(start, end)).toString().split(untyped).length - 1;
  }, 0);
}

export function measureFlight({ bytes, chunks }: RecordedPayload): FlightMeasure {
  const recorded = decodeFlight(bytes);
  const { flight, chunks: times } = readPlain(recorded, chunks, isPage);
  const plain = flight.bytes;
  const { attribution, duplicates, modules } = analyzeFlight(flight);
  return {
    bytes: plain.length,
    // The level that servers use. The payload is compressed whole here, and in pieces as it comes in production.
    gzip: gzipSync(plain).length,
    rows: flight.rows.count,
    leftOut: bytes.length - plain.length,
    modules: listModules(modules),
    repeated: duplicates.wasted,
    text: attribution.kinds.text,
    errors: readFailures(flight).length,
    caught: findCaught(flight),
    waits: readWaits(flight, times),
    untyped: countUntyped(flight),
  };
}
