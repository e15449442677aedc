import 'server-only';

import {
  analyzeFlight,
  decodeFlight,
  readShellWaits,
  reportServerTime,
  type FlightAnalysis,
  type FlightState,
  type ShellWait,
} from '#flight';
import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import type { RecordedFlight } from '#src/flights/flight/flight-record.ts';
import { readFlight as read } from '#src/flights/for-operator/queries.ts';
import { readServerTime } from '#src/flights/for-operator/read-spans.ts';
import { readSourcesOf } from '#src/flights/for-operator/sources-of-flight.ts';
import { listPayloadChunks, readPayload, readResponseFacts } from '#src/flights/flight/read-payload.ts';
import { parseVitals } from '#src/flights/vitals/vitals.ts';

import { type ApiAnswer, type ApiQuestion, notFound } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { FlightDetails } from '../schemas/flights.ts';
import { flightSelf, writeFlight } from './write-flight.ts';
import type { VitalsItem } from '../schemas/vitals.ts';

/** @param json as the flight has it */
function writeVitals(json: string | undefined): VitalsItem | null {
  const vitals = parseVitals(json);
  if (!vitals) return null;
  const { lcp, inp, cls, fcp, ttfb } = vitals;
  return {
    lcp: lcp ? { ...lcp, element: lcp.element ?? null, address: lcp.address ?? null } : null,
    inp: inp ? { ...inp, element: inp.element ?? null, by: inp.by ?? null } : null,
    cls: cls ? { ...cls, element: cls.element ?? null, atMs: cls.atMs ?? null } : null,
    fcpMs: fcp ?? null,
    ttfbMs: ttfb?.ms ?? null,
  };
}

/** Some 50 ms on the thread that serves pages: for what is larger there is `flight-recorder flight` on the payload. */
const analysedBytes = 256 * 1024;

async function findFlight({ id: text, access }: ApiQuestion): Promise<RecordedFlight | undefined> {
  const id = parseFlightId(text);
  const flight = id === undefined ? undefined : await read(id);
  return flight && mayReadApp(access, flight.app) ? flight : undefined;
}

function writeFindings({ findings }: FlightAnalysis): FlightDetails['findings'] {
  return findings.map(({ kind, weight, title, advice, bytes, compressed, ms }) => ({
    kind,
    weight,
    title,
    advice,
    bytes: bytes ?? null,
    compressed: compressed ?? null,
    ms: ms ?? null,
  }));
}

type Analysed = {
  readonly state: FlightState['kind'] | null;
  readonly findings: FlightDetails['findings'];
  readonly shell: readonly ShellWait[];
};

async function analyse(flight: RecordedFlight, payload: Uint8Array): Promise<Analysed> {
  if (payload.length === 0) return { state: null, findings: [], shell: [] };
  if (payload.length > analysedBytes) return { state: null, findings: null, shell: [] };
  const decoded = decodeFlight(payload, { moduleFiles: await readSourcesOf(flight) });
  const facts = readResponseFacts(flight);
  const chunks = listPayloadChunks(flight);
  const analysis = analyzeFlight(decoded, { chunks, facts });
  return { state: decoded.state.kind, findings: writeFindings(analysis), shell: readShellWaits(decoded, chunks) };
}

export async function readFlight(question: ApiQuestion): Promise<ApiAnswer> {
  const flight = await findFlight(question);
  if (!flight) return notFound('no such flight');
  const payload = readPayload(flight);
  const { state, findings, shell } = await analyse(flight, payload);
  const time = await readServerTime(flight);
  const body: FlightDetails = {
    ...writeFlight(flight, question.origin),
    chunks: flight.chunks.map(([ms, bytes, isDebug]) => ({ ms, bytes, isDebug: isDebug === 1 })),
    elements: [...flight.elements],
    elided: flight.elided.map(({ element, from }) => ({ element, from: from?.id ?? null })),
    arguments: flight.args
      ? { contentType: flight.args.contentType, bytes: flight.args.bytes, isCut: flight.args.isCut }
      : null,
    vitals: writeVitals(flight.vitals),
    payload: { path: `${flightSelf(flight.id)}/payload`, bytes: payload.length, state },
    findings,
    serverTime: time ? reportServerTime(time, shell) : null,
  };
  return { type: 'json', body };
}

/** The bytes as they are kept. */
export async function readFlightPayload(question: ApiQuestion): Promise<ApiAnswer> {
  const flight = await findFlight(question);
  if (!flight) return notFound('no such flight');
  return { type: 'bytes', bytes: readPayload(flight).slice(), contentType: 'text/x-component' };
}
