import { findCosts } from './cost-findings.ts';
import { readErrors } from './errors.ts';
import { countOf, maxOfKind, minWaitMs, problem, type Finding, type Understood } from './finding.ts';
import type { Flight } from './flight.ts';
import type { Hole } from './holes.ts';
import type { Place } from './place.ts';
import { findRow } from './row-index.ts';

/** The findings of a payload: problems first, then waits by time, then costs by bytes. */
export function listFindings(flight: Flight, understood: Understood): Finding[] {
  if (flight.bytes.length === 0) return [];
  const found = [
    ...findStates(flight),
    ...findErrors(flight),
    ...findWaits(understood.holes),
    ...findCosts(flight, understood),
  ];
  return found.toSorted((a, b) => rank(a) - rank(b) || (b.ms ?? b.bytes ?? 0) - (a.ms ?? a.bytes ?? 0));
}

function rank({ weight }: Finding): number {
  return ['problem', 'wait', 'cost'].indexOf(weight);
}

function lastRow(flight: Flight): Place | undefined {
  return flight.rows.count === 0 ? undefined : { row: flight.rows.count - 1 };
}

function findStates(flight: Flight): Finding[] {
  const { state } = flight;
  switch (state.kind) {
    case 'complete':
      return [];
    case 'malformed': {
      const place = rowAround(flight, state.at);
      const title = `The payload is malformed at byte ${state.at}: ${state.reason}.`;
      return [problem('malformed', title, 'React’s client throws here; the rows before it can be read.', place)];
    }
    case 'truncated': {
      const title = `The payload ends too early, at byte ${state.at}: ${state.reason}.`;
      return [problem('truncated', title, 'The connection was cut, or the file is not all of it.', lastRow(flight))];
    }
    case 'halted': {
      const title = `${countOf(state.pending.length, 'row')} promised and never sent: ${idList(state.pending)}.`;
      const advice = 'A prerender that was stopped on purpose, or a connection cut between two rows.';
      return [problem('halted', title, advice, findHole(flight))];
    }
    case 'aborted': {
      const row = findRow(flight.rows, state.error);
      const title = `Rendering was given up: rows refer to the error in row ${state.error.toString(16)}.`;
      const advice = 'The server aborted the render, because of a time limit or a visitor who left.';
      return [problem('aborted', title, advice, row === undefined ? undefined : { row })];
    }
  }
}

function idList(ids: readonly number[]): string {
  const shown = ids.slice(0, 8).map((id) => id.toString(16));
  return ids.length > shown.length ? `${shown.join(', ')} and more` : shown.join(', ');
}

function findHole(flight: Flight): Place | undefined {
  return flight.root === undefined ? undefined : { row: flight.root };
}

/** The row that holds this byte, if one does. */
function rowAround({ rows }: Flight, byte: number): Place | undefined {
  for (let row = 0; row < rows.count; row++) {
    if ((rows.starts[row + 1] ?? 0) > byte) return { row, start: byte, end: rows.starts[row + 1] ?? byte };
  }
  return undefined;
}

function findErrors(flight: Flight): Finding[] {
  const errors = readErrors(flight);
  const listed = errors.slice(0, maxOfKind).map(({ row, id, digest, message }) => {
    const digestText = digest ? `digest ${digest.slice(0, 60)}` : 'no digest';
    const advice = message
      ? message.slice(0, 200)
      : digest
        ? 'Look the digest up to see the cause.'
        : 'The server’s onError returned no digest, so nothing leads to the cause.';
    return problem('error', `Row ${id.toString(16)} is an error, ${digestText}.`, advice, { row });
  });
  const more = errors.length - listed.length;
  const next = errors[listed.length];
  if (next) {
    const title = `${countOf(more, 'more row is an error', 'more rows are errors')}.`;
    listed.push(problem('error', title, '', { row: next.row }));
  }
  return listed;
}

function findWaits(holes: readonly Hole[]): Finding[] {
  const long = holes.filter(({ waitedMs }) => (waitedMs ?? 0) >= minWaitMs);
  return long.slice(0, maxOfKind).map(({ name, rows, waitedMs = 0, filledBy, boundary, until }) => {
    const last = rows.findLast(({ row }) => row !== undefined) ?? rows[0];
    const by = filledBy === undefined ? '' : ` (${filledBy})`;
    const title =
      boundary === undefined
        ? `The page waited ${Math.round(waitedMs)} ms for row ${last?.id.toString(16)}${by}, outside every Suspense boundary of the payload.`
        : `${name} showed its fallback for ${Math.round(waitedMs)} ms, until row ${last?.id.toString(16)}${by}.`;
    const advice = `All it waited for had come ${Math.round(until ?? 0)} ms after the start; the row that came last is the one to look at.`;
    const place = boundary ?? (last?.row === undefined ? undefined : { row: last.row });
    return { kind: 'wait', weight: 'wait', title, advice, bytes: undefined, ms: Math.round(waitedMs), place };
  });
}
