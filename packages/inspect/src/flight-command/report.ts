import {
  analyzeFlight,
  decodeFlight,
  type FlightAnalysis,
  readErrors,
  type Flight,
  type Framework,
  guessFramework,
  guessReact,
  type Place,
  readHeader,
  readRowAsJson,
  type Json,
  readShellWaits,
  reportServerTime,
  type ServerTime,
  type ShellWait,
  type Transfer,
} from '#flight';
import { toPlainJson } from '#boundary';

import type { InputFlight, ResponseSizes } from './read-input.ts';

/** All that is known of a flight, for both outputs. */
export type Report = FlightAnalysis & {
  readonly flight: Flight;
  readonly framework: Framework | undefined;
  readonly sizes: ResponseSizes & { readonly flight: number };
  readonly transfer: Transfer | undefined;
  readonly serverTime: ServerTime | undefined;
  readonly shell: readonly ShellWait[];
};

/** What was sent without compression may be compressed on its way to visitors: of that the usual is estimated, as of a file. */
function readTransfer({ response, transferred, codec }: Partial<ResponseSizes> = {}): Transfer | undefined {
  if (response === undefined || transferred === undefined || codec === 'identity') return undefined;
  return { response, sent: transferred, codec };
}

export function makeReport({ bytes, chunks, pageSource, sizes, serverTime }: InputFlight): Report {
  const flight = decodeFlight(bytes);
  const framework = guessFramework(flight, pageSource)?.guess;
  const transfer = readTransfer(sizes);
  return {
    flight,
    framework,
    sizes: { flight: flight.bytes.length, response: sizes?.response, transferred: sizes?.transferred },
    transfer,
    serverTime,
    shell: serverTime ? readShellWaits(flight, chunks) : [],
    ...analyzeFlight(flight, { chunks, facts: { transfer } }),
  };
}

/** A row's id as the payload writes it. */
function idOf(flight: Flight, row: number): string {
  return readHeader(flight.rows, row).id.toString(16);
}

function placeToJson(flight: Flight, place: Place): Json {
  // Of a payload without one whole row, row 0 is what there is.
  if (place.row >= flight.rows.count) return { row: null, offset: 0, bytes: flight.bytes.length };
  const { start, end } = readHeader(flight.rows, place.row);
  const from = place.start ?? start;
  return { row: idOf(flight, place.row), offset: from, bytes: (place.end ?? end) - from };
}

/** The object of docs/flight-json.md without its rows. */
function reportToJson({
  flight,
  framework,
  sizes,
  duplicates,
  modules,
  findings,
  personal,
  serverTime,
  shell,
}: Report): {
  [key: string]: Json;
} {
  return {
    framework: framework ?? null,
    react: guessReact(flight).guess,
    marker: flight.marker ?? null,
    state: stateToJson(flight),
    bytes: flight.bytes.length,
    sizes: { flight: sizes.flight, response: sizes.response ?? null, transferred: sizes.transferred ?? null },
    errors: readErrors(flight).map(({ id, digest }) => ({ row: id.toString(16), digest: digest ?? null })),
    modules: modules.map(({ id, module, name, chunks, elements, values, bytes, chunkBytes }) => ({
      row: id.toString(16),
      module,
      name,
      chunks: [...chunks],
      elements,
      values,
      bytes,
      chunkBytes,
    })),
    duplicates: duplicates.list.map(({ kind, text, bytes, count, wasted, places }) => ({
      kind,
      text,
      bytes,
      count,
      wasted,
      places: places.map((place) => placeToJson(flight, place)),
    })),
    findings: findings.map(({ kind, weight, title, advice, bytes, compressed, ms, place, parts }) => ({
      kind,
      weight,
      title,
      advice,
      bytes: bytes ?? null,
      compressed: compressed ?? null,
      ms: ms ?? null,
      place: placeToJson(flight, place),
      parts: parts.map((part) => ({
        title: part.title,
        bytes: part.bytes ?? null,
        compressed: part.compressed ?? null,
        ms: part.ms ?? null,
        place: placeToJson(flight, part.place),
      })),
    })),
    personal: { ...personal },
    serverTime: serverTime ? { ...reportServerTime(serverTime, shell) } : null,
  };
}

function stateToJson({ state }: Flight): Json {
  switch (state.kind) {
    case 'complete':
      return { kind: state.kind };
    case 'aborted':
      return { kind: state.kind, error: state.error.toString(16), pending: state.pending.map((id) => id.toString(16)) };
    case 'halted':
      return { kind: state.kind, pending: state.pending.map((id) => id.toString(16)) };
    case 'truncated':
    case 'malformed':
      return { kind: state.kind, at: state.at, reason: state.reason };
  }
}

function rowToReport(flight: Flight, row: number): Json {
  const { id, tag, start, end } = readHeader(flight.rows, row);
  return { id: id.toString(16), tag, offset: start, bytes: end - start, value: readRowAsJson(flight, row) };
}

/**
 * The object in pieces, row by row: the JSON of 64 MiB of rows is longer than a string may be. The rows come where the
 * document has them, after `sizes`.
 */
export function* writeJson(report: Report): Generator<string> {
  const { flight } = report;
  const { framework, react, marker, state, bytes, sizes, ...rest } = reportToJson(report);
  const head = toPlainJson({ framework, react, marker, state, bytes, sizes });
  yield `${head.slice(0, -1)},"rows":[`;
  for (let row = 0; row < flight.rows.count; row++) {
    yield `${row === 0 ? '' : ','}${toPlainJson(rowToReport(flight, row))}`;
  }
  yield `],${toPlainJson(rest).slice(1)}\n`;
}
