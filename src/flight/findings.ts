import type { Attribution } from './attribution.ts';
import type { Duplicate, Duplicates } from './duplicates.ts';
import { readErrors } from './errors.ts';
import type { Flight } from './flight.ts';
import type { Hole } from './holes.ts';
import type { ModuleUse } from './module-use.ts';
import { placeOf, type Place } from './place.ts';
import { findRow, readHeader } from './row-index.ts';
import { endAt, startAt } from './tape.ts';
import { readUtf8 } from './value-text.ts';
import { visitFlight } from './visit-flight.ts';

/**
 * What there is to say about a payload, in plain words with the number and a place to look at. A finding is something a
 * person can act on; when a payload has nothing of the kind there is none. Problems come first, then waits by time, then
 * costs by bytes.
 */
export type Finding = {
  kind: FindingKind;
  /** `problem`: it is broken or failed. `wait` and `cost`: it works, and takes `ms` or `bytes`. */
  weight: 'problem' | 'wait' | 'cost';
  /** One sentence: what, and how much of how much. */
  title: string;
  /** What causes it, or what to do. */
  advice: string;
  bytes: number | undefined;
  ms: number | undefined;
  place: Place | undefined;
};

export type FindingKind =
  | 'malformed'
  | 'truncated'
  | 'halted'
  | 'aborted'
  | 'error'
  | 'development'
  | 'wait'
  | 'sent-twice'
  | 'repeated'
  | 'class-names'
  | 'large-prop'
  | 'unused-modules'
  | 'chunk-names'
  | 'base64';

export type Understood = {
  attribution: Attribution;
  duplicates: Duplicates;
  modules: readonly ModuleUse[];
  holes: readonly Hole[];
};

/** A cost below a network packet is lost in the noise of compression and headers. */
const minBytes = 1000;

/** A share of the payload below this one changes nothing a person would feel. */
const minShare = 0.05;

/** A list of three is the shortest that is no coincidence. */
const minDistinct = 3;

/** A wait that a person notices as one: Jakob Nielsen's limit of a tenth of a second, and network on top. */
const minWaitMs = 300;

/** Findings of one kind that are listed; the first are the largest. */
const maxOfKind = 5;

/** Strings this long and of nothing but base64 are files in text. */
const minBase64 = 1000;

export function listFindings(flight: Flight, understood: Understood): Finding[] {
  if (flight.bytes.length === 0) return [];
  const found = [
    ...findStates(flight),
    ...findErrors(flight),
    ...findWaits(understood.holes),
    ...findRepeats(understood),
    ...findLargeProps(understood),
    ...findModules(understood),
    ...findBase64(flight),
    ...findDevelopment(understood),
  ];
  return found.toSorted((a, b) => rank(a) - rank(b) || (b.ms ?? b.bytes ?? 0) - (a.ms ?? a.bytes ?? 0));
}

function rank({ weight }: Finding): number {
  return ['problem', 'wait', 'cost'].indexOf(weight);
}

/** `19 kB`, `4.1 kB`, `312 B`: decimal, as browsers' network panels write them. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}

function share(bytes: number, total: number): string {
  return `${size(bytes)} of ${size(total)}`;
}

function isWorthSaying(bytes: number, total: number): boolean {
  return bytes >= minBytes && bytes >= total * minShare;
}

function problem(kind: FindingKind, title: string, advice: string, place: Place | undefined): Finding {
  return { kind, weight: 'problem', title, advice, bytes: undefined, ms: undefined, place };
}

function cost(kind: FindingKind, bytes: number, title: string, advice: string, place: Place | undefined): Finding {
  return { kind, weight: 'cost', title, advice, bytes, ms: undefined, place };
}

function countOf(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-GB')} ${number === 1 ? one : many}`;
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
    const named = digest ? `digest ${digest.slice(0, 60)}` : 'no digest';
    const advice = message
      ? message.slice(0, 200)
      : digest
        ? 'Look the digest up to see the cause.'
        : 'The server’s onError returned no digest, so nothing leads to the cause.';
    return problem('error', `Row ${id.toString(16)} is an error, ${named}.`, advice, { row });
  });
  const more = errors.length - listed.length;
  const next = errors[listed.length];
  if (next) listed.push(problem('error', `${countOf(more, 'more row is an error', 'more rows are errors')}.`, '', { row: next.row }));
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

function isClassName(inside: string): boolean {
  return / class(?:Name)?$/.test(inside);
}

function findRepeats({ attribution, duplicates }: Understood): Finding[] {
  const { total } = attribution;
  const pairs = duplicates.patterns.filter(
    ({ first, again, distinct, wasted }) =>
      distinct >= minDistinct && !isClassName(first) && !isClassName(again) && first !== again && isWorthSaying(wasted, total),
  );
  const told = new Set(pairs.map(({ first, again }) => `${first}\n${again}`));
  const classes = duplicates.list.filter(({ places }) => isClassName(places[0]?.inside ?? ''));
  const wastedByClasses = classes.reduce((sum, { wasted }) => sum + wasted, 0);
  const single = duplicates.list.filter(
    (duplicate) => !classes.includes(duplicate) && !isTold(duplicate, told) && isWorthSaying(duplicate.wasted, total),
  );
  const found = pairs.slice(0, maxOfKind).map(({ first, again, distinct, wasted, place }) => {
    const title = `${countOf(distinct, 'value')} in ${named(first)} ${distinct === 1 ? 'is' : 'are'} sent again in ${named(again)}: ${share(wasted, total)}.`;
    return cost('sent-twice', wasted, title, 'Pass it once and let the client component use it twice.', place);
  });
  const [worst] = classes;
  if (worst && isWorthSaying(wastedByClasses, total)) {
    const title = `${countOf(classes.length, 'class name list')} ${classes.length === 1 ? 'is' : 'are'} repeated, ${worst.text} ${worst.count} times: ${share(wastedByClasses, total)}.`;
    const advice = 'Compression makes most of it small again; a class of its own, or a client component, makes it one.';
    found.push(cost('class-names', wastedByClasses, title, advice, worst.places[1]));
  }
  for (const { text, count, wasted, places, kind } of single.slice(0, maxOfKind)) {
    const what = kind === 'structure' ? 'structure' : kind === 'string' ? 'text' : 'row';
    const title = `The same ${what}, ${text}, is sent ${count} times: ${share(wasted, total)}.`;
    const advice = 'React sends the same object once and refers to it: use one object instead of equal copies.';
    found.push(cost('repeated', wasted, title, advice, places[1]));
  }
  return found;
}

function named(inside: string): string {
  return inside === '' ? 'values outside elements' : inside;
}

function isTold({ places }: Duplicate, told: ReadonlySet<string>): boolean {
  return told.has(`${places[0]?.inside ?? ''}\n${places[1]?.inside ?? ''}`);
}

function findLargeProps({ attribution }: Understood): Finding[] {
  const { total, props } = attribution;
  const large = props.filter(({ prop, bytes }) => prop !== 'children' && prop !== 'others' && isLarge(bytes, total));
  return large.slice(0, maxOfKind).map(({ element, prop, bytes, count, largest }) => {
    const uses = count === 1 ? '' : ` in ${countOf(count, 'element')}`;
    const title = `${prop} of ${element} carries ${share(bytes, total)}${uses}.`;
    const advice = 'Send only what the component reads; a client component’s props are all in the payload.';
    return cost('large-prop', bytes, title, advice, largest);
  });
}

/** A prop is worth a sentence when it is twice what other costs are. */
function isLarge(bytes: number, total: number): boolean {
  return bytes >= minBytes * 2 && bytes >= total * minShare * 2;
}

function findModules({ attribution, modules }: Understood): Finding[] {
  const { total } = attribution;
  const found: Finding[] = [];
  const unused = modules.filter(({ elements, values }) => elements + values === 0);
  const [first] = unused;
  if (first) {
    const bytes = unused.reduce((sum, module) => sum + module.bytes, 0);
    const names = unused.slice(0, 5).map(({ name, module }) => name || module);
    const title = `${countOf(unused.length, 'client module')} named and not used, ${names.join(', ')}: ${share(bytes, total)}.`;
    const advice = 'The browser loads each all the same: look for what passes the component on without rendering it.';
    found.push(cost('unused-modules', bytes, title, advice, { row: first.row }));
  }
  const chunks = modules.reduce((sum, { chunkBytes }) => sum + chunkBytes, 0);
  const [largest] = modules.toSorted((a, b) => b.chunkBytes - a.chunkBytes);
  if (largest && isWorthSaying(chunks, total)) {
    const title = `The names of client modules’ files are ${share(chunks, total)}.`;
    const advice = `${countOf(modules.length, 'module')}; fewer client components at the edge of the page, or larger chunks, name fewer files.`;
    found.push(cost('chunk-names', chunks, title, advice, { row: largest.row }));
  }
  return found;
}

const base64 = /^(?:data:[\w./+-]*(?:;[\w=-]+)*;base64,)?[A-Za-z0-9+/\s_-]+={0,2}$/;

/** Words have spaces, and hex is no base64. */
function isBase64(text: string): boolean {
  if (text.length < minBase64 || !base64.test(text)) return false;
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text) && !/ /.test(text);
}

function findBase64(flight: Flight): Finding[] {
  let bytes = 0;
  let count = 0;
  let largest: { size: number; place: Place } | undefined;
  function add(length: number, place: Place): void {
    bytes += length;
    count += 1;
    if (length > (largest?.size ?? 0)) largest = { size: length, place };
  }
  const { tape } = flight;
  visitFlight(flight, {
    text: (text, row, at) => {
      if (isBase64(text)) add(endAt(tape, at, flight.bytes) - startAt(tape, at), placeOf(flight, row, at));
    },
  });
  for (let row = 0; row < flight.rows.count; row++) {
    const { tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
    if (tag !== 'T' || payloadEnd - payloadStart < minBase64) continue;
    if (isBase64(readUtf8(flight, payloadStart, payloadEnd))) add(payloadEnd - payloadStart, { row });
  }
  if (count === 0 || bytes < flight.bytes.length * minShare) return [];
  const title = `${countOf(count, 'string')} of base64: ${share(bytes, flight.bytes.length)}.`;
  const advice = 'A typed array is sent as it is, a quarter smaller; a file of its own is cached and not sent again.';
  return [cost('base64', bytes, title, advice, largest?.place)];
}

function findDevelopment({ attribution }: Understood): Finding[] {
  const { debug } = attribution.kinds;
  if (debug === 0) return [];
  const title = `Written by a development server: ${share(debug, attribution.total)} are its debug data.`;
  const advice = 'Production sends none of it, and React’s production client refuses such a payload.';
  return [cost('development', debug, title, advice, undefined)];
}
