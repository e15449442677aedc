import { findUsers } from './attribution.ts';
import { type FlightError, readFailures } from './errors.ts';
import {
  countOf,
  listWords,
  maxOfKind,
  maxParts,
  problem,
  type Finding,
  type FindingPart,
  type Understood,
} from './finding.ts';
import type { Flight } from './flight.ts';
import { formatCount } from './format-numbers.ts';
import { isBlank, maxRows } from './framing.ts';
import { listNestedFlights } from './nested-flight.ts';
import type { Place } from './place.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { printRowOrigin, readRowOrigin } from './row-origin.ts';
import { isReadAtOnce } from './row-tags.ts';
import { readRow } from './row.ts';

/** What is broken or failed: how the payload ended, and its errors. */
export function findProblems(flight: Flight, understood: Understood): Finding[] {
  const { isLeft = false } = understood.facts;
  // The app did nothing wrong where nobody waited for the rest.
  const states = findStates(flight, understood).map((one): Finding => (isLeft ? { ...one, weight: 'note' } : one));
  return [...states, ...findNestedHalts(flight, understood), ...findErrors(flight)];
}

function findStates(flight: Flight, understood: Understood): Finding[] {
  const { state } = flight;
  switch (state.kind) {
    case 'complete':
      return [];
    case 'malformed': {
      const title = `The payload is malformed at byte ${formatCount(state.at)}: ${state.reason}.`;
      const place = rowAround(flight, state.at);
      return [problem('malformed', title, adviseOnBreak(flight, state.at, place.row), place)];
    }
    case 'truncated': {
      const place = rowAround(flight, state.rowStart);
      if (readHalt(flight, understood) === 'kept-in-part') return findKeptPart(flight, place);
      const title = `The payload ends too early, at byte ${formatCount(state.at)}: ${state.reason}.`;
      const advice = 'The connection was cut, or the file is: look at how the response ended.';
      return [problem('truncated', title, advice, place)];
    }
    case 'halted':
      return findHalt(flight, state.pending, understood);
    case 'aborted': {
      const row = findRow(flight.rows, state.error) ?? 0;
      const title = `Rendering was given up: rows refer to the error in row ${state.error.toString(16)}, ${digestOf(flight, row)}.`;
      const advice = 'There was a time limit, or a visitor left.';
      return [problem('aborted', title, advice, { row })];
    }
  }
}

/** What React's clients of 19.0 to 19.3 do there (differential/breaks.test.ts), and what can be read all the same. */
function adviseOnBreak({ rows, bytes }: Flight, at: number, row: number): string {
  if (rows.count === maxRows) return 'More rows are not read here; React’s client has no such limit.';
  const isInRow = at < (rows.starts[rows.count] ?? 0);
  if (isInRow && isBlank(bytes[at]) && at === rows.starts[row]) {
    return 'React’s client takes the line end for a part of the next row’s id. No server writes it: look at what kept the payload.';
  }
  if (!isInRow) {
    return 'The rows before it can be read. React’s client does not check this: it takes what follows for other rows.';
  }
  return isReadAtOnce(readRowTag(rows, row))
    ? 'React’s client throws here: what has not come by then never does. All other rows can be read.'
    : 'React’s client throws where this row is used, and nowhere else. All other rows can be read.';
}

function digestOf(flight: Flight, row: number): string {
  const content = flight.rows.count > row ? readRow(flight, row) : undefined;
  return content?.kind === 'error' && content.digest ? `digest ${content.digest.slice(0, 60)}` : 'no digest';
}

/**
 * Rows that were promised and never came. A prerender and a prefetch are sent with holes, which another request fills: that
 * is normal, and nothing is said. A connection that was cut exactly between two rows leaves the same bytes, and is a
 * problem. Where nothing tells the two apart, both are said, as a note.
 */
function findHalt(flight: Flight, pending: readonly number[], understood: Understood): Finding[] {
  const halt = readHalt(flight, understood);
  if (halt === 'by-design') return [];
  if (halt === 'kept-in-part') return findKeptPart(flight, findWaiter(flight, pending));
  const { ids, were } = nameRows(pending);
  const place = findWaiter(flight, pending);
  if (halt === 'cut') {
    const title = `The response was cut: ${countOf(pending.length, 'row')} ${were} promised and never came: ${ids}.`;
    const advice = 'The browser shows the fallback around each for good, or an error: look at how the response ended.';
    return [problem('halted', title, advice, place)];
  }
  const title = `${countOf(pending.length, 'row')} ${were} promised and ${were} not sent: ${ids}.`;
  const advice =
    'Normal for a prerendered shell and for a prefetch. A connection cut between two rows looks the same: compare another response of this page.';
  return [{ ...problem('halted', title, advice, place), weight: 'note' }];
}

function nameRows(ids: readonly number[]): { readonly ids: string; readonly were: 'was' | 'were' } {
  const names = ids.map((id) => id.toString(16));
  return { ids: listWords(names, 8), were: ids.length === 1 ? 'was' : 'were' };
}

/** The rest was sent, and is not here. */
function findKeptPart({ bytes }: Flight, place: Place): Finding[] {
  const title = `The first ${formatCount(bytes.length)} bytes were kept.`;
  return [{ ...problem('truncated', title, 'More was sent.', place), weight: 'note' }];
}

/** A payload in a binary row came whole, so a cut is not why its rows are missing. */
function findNestedHalts(flight: Flight, understood: Understood): Finding[] {
  return listNestedFlights(flight)
    .flatMap(({ row, flight: nested }) => {
      const facts = { ...understood.facts, isCut: undefined, isKeptInPart: undefined };
      if (nested.state.kind !== 'halted' || readHalt(nested, { ...understood, facts }) === 'by-design') return [];
      const { pending } = nested.state;
      const { ids, were } = nameRows(pending);
      const id = readHeader(flight.rows, row).id.toString(16);
      const title = `In the payload that row ${id} holds, ${countOf(pending.length, 'row')} ${were} promised and ${were} not sent: ${ids}.`;
      const advice =
        'Normal for a cached part of a page that leaves something to each visitor. If nothing fills it, the fallback stays.';
      return [{ ...problem('halted', title, advice, { row }), weight: 'note' as const }];
    })
    .slice(0, maxOfKind);
}

/**
 * Why rows were promised and never came; `unknown` where nothing tells a prerender from a cut. Undefined of a payload that did
 * not end so.
 */
export type Halt = 'by-design' | 'cut' | 'kept-in-part' | 'unknown';

export function readHalt(flight: Flight, { app, facts }: Pick<Understood, 'app' | 'facts'>): Halt | undefined {
  const { state } = flight;
  if (facts.isKeptInPart === true && state.kind !== 'complete') return 'kept-in-part';
  if (state.kind !== 'halted') return undefined;
  if (facts.isCut === true) return 'cut';
  const isByDesign =
    flight.marker === 'partial' ||
    facts.isPrefetch === true ||
    facts.isPrerender === true ||
    facts.isCut === false ||
    app.purpose === 'prefetch' ||
    app.isStatic === true ||
    state.pending.every((id) => isHaltedRow(flight, id));
  return isByDesign ? 'by-design' : 'unknown';
}

/** A row without a body: the development server says that it will not come. */
function isHaltedRow(flight: Flight, id: number): boolean {
  const row = findRow(flight.rows, id);
  return row !== undefined && readRow(flight, row).kind === 'halted';
}

/** What waits for the first of the rows; a stream without an end is its own place. */
function findWaiter(flight: Flight, pending: readonly number[]): Place {
  const [first = 0] = pending;
  const [user] = findUsers(flight, first, 1);
  return user ?? { row: findRow(flight.rows, first) ?? flight.root ?? 0 };
}

/** The row that holds this byte; the last one, of what comes after it. */
function rowAround({ rows, bytes }: Flight, byte: number): Place {
  for (let row = 0; row < rows.count; row++) {
    const end = rows.starts[row + 1] ?? byte;
    if (end > byte) return { row, start: byte, end };
  }
  return rows.count === 0 ? { row: 0, start: 0, end: bytes.length } : { row: rows.count - 1 };
}

/** Errors with the same digest and the same message are one fault; so are those without. */
function findErrors(flight: Flight): Finding[] {
  const { state } = flight;
  const groups = new Map<string, FlightError[]>();
  for (const error of readFailures(flight)) {
    // Told as the reason of the abort.
    if (state.kind === 'aborted' && error.id === state.error) continue;
    const key = `${error.digest ?? ''}\n${error.message ?? ''}`;
    const group = groups.get(key) ?? [];
    group.push(error);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  const listed = all.length > maxOfKind ? all.slice(0, maxOfKind - 1) : all;
  const found = listed.flatMap((group) => describeErrors(flight, group));
  const rest = all.slice(listed.length).flat();
  const [first] = rest;
  if (first) {
    const title = `${countOf(rest.length, 'more row is an error', 'more rows are errors')}.`;
    found.push(
      problem('error', title, 'Each digest leads to its cause.', { row: first.row }, listErrors(flight, rest)),
    );
  }
  return found;
}

function describeErrors(flight: Flight, errors: readonly FlightError[]): Finding[] {
  const [first] = errors;
  if (!first) return [];
  const { row, digest, message } = first;
  const digestText = digest ? `digest ${digest.slice(0, 60)}` : 'no digest';
  const { ids } = nameRows(errors.map(({ id }) => id));
  const origin = readRowOrigin(flight, row);
  const by = origin ? `, in ${printRowOrigin(origin)}` : '';
  const title = errors.length === 1 ? `Row ${ids} is an error` : `Rows ${ids} are errors`;
  const advice = message
    ? message.slice(0, 200)
    : digest
      ? 'Look the digest up to see the cause.'
      : 'The server’s onError returned no digest, so nothing leads to the cause: return one for each error.';
  const parts = errors.length === 1 ? [] : listErrors(flight, errors);
  return [{ ...problem('error', `${title}, ${digestText}${by}.`, advice, { row }, parts), source: origin?.source }];
}

function listErrors(flight: Flight, errors: readonly FlightError[]): FindingPart[] {
  return errors.slice(0, maxParts).map(({ row, id, digest }) => {
    const origin = readRowOrigin(flight, row);
    const what = [digest ? `digest ${digest.slice(0, 60)}` : 'no digest', ...(origin ? [printRowOrigin(origin)] : [])];
    const title = `Row ${id.toString(16)}: ${what.join(', ')}`;
    return { title, bytes: undefined, compressed: undefined, ms: undefined, place: { row }, source: origin?.source };
  });
}
