import { gzipSync } from 'node:zlib';

import { analyzeFlight, decodeFlight, type Flight, type FlightAnalysis, type ModuleUse } from '#flight';
import { describeState } from '../flight-command/print-report.ts';

import type { LoadedFlight } from './open-loaded.ts';

/**
 * The figures that budgets are about, summed over all that was loaded: a navigation may bring several payloads, and the visitor
 * waits for all. A client module that two of them name is one.
 */
export type Measured = {
  readonly flights: readonly MeasuredFlight[];
  readonly bytes: number;
  readonly gzip: number;
  readonly duplicates: number;
  /** The app's own, each once. */
  readonly modules: readonly OwnModule[];
};

/** Without what is of one payload alone: its rows, and its compression. */
type OwnModule = Pick<ModuleUse, 'module' | 'name' | 'source' | 'elements' | 'values' | 'bytes'>;

export type MeasuredFlight = {
  readonly title: string;
  readonly flight: Flight;
  readonly gzip: number;
  readonly analysis: FlightAnalysis;
};

/** Rows that a message names. */
const maxIds = 5;

function printIds(ids: readonly number[]): string {
  const shown = ids.slice(0, maxIds).map((id) => id.toString(16));
  return `${shown.join(', ')}${ids.length > maxIds ? ', …' : ''}`;
}

/** @throws Error for a payload of which a part is missing or cannot be read: its figures would be too small */
function measureFlight({ title, bytes, chunks, isDocument, isGivenUp }: LoadedFlight): MeasuredFlight {
  const flight = decodeFlight(bytes);
  const { state } = flight;
  if (state.kind === 'malformed' || (state.kind === 'truncated' && isGivenUp !== true)) {
    throw new Error(`${title} cannot be measured: the payload is ${describeState(state)}`);
  }
  const analysis = analyzeFlight(flight, { chunks });
  // Of a document nothing more is asked for: its rows are in it, or never come.
  if (isDocument === true && isGivenUp !== true && state.kind === 'halted' && analysis.halt !== 'by-design') {
    throw new Error(`${title} cannot be measured: the payload is ${describeState(state)} (${printIds(state.pending)})`);
  }
  return { title, flight, gzip: gzipSync(flight.bytes).length, analysis };
}

function sum<T>(all: readonly T[], read: (one: T) => number): number {
  return all.reduce((total, one) => total + read(one), 0);
}

function listOwnModules(flights: readonly MeasuredFlight[]): OwnModule[] {
  const byExport = new Map<string, OwnModule>();
  for (const use of flights.flatMap(({ analysis }) => analysis.modules)) {
    if (use.isFrameworks) continue;
    const { module, name, source } = use;
    const key = `${module}#${name}`;
    const known = byExport.get(key);
    byExport.set(key, {
      module,
      name,
      source,
      elements: use.elements + (known?.elements ?? 0),
      values: use.values + (known?.values ?? 0),
      bytes: use.bytes + (known?.bytes ?? 0),
    });
  }
  return [...byExport.values()];
}

export function measureFlights(inputs: readonly LoadedFlight[]): Measured {
  const flights = inputs.map(measureFlight);
  return {
    flights,
    bytes: sum(flights, ({ flight }) => flight.bytes.length),
    gzip: sum(flights, ({ gzip }) => gzip),
    duplicates: sum(flights, ({ analysis }) => analysis.duplicates.wasted),
    modules: listOwnModules(flights),
  };
}
