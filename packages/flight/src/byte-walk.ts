import {
  elementFrameKind,
  frameKind,
  itemContext,
  memberContext,
  partContext,
  scalarKind,
  type ByteContext,
  type ByteKind,
} from './byte-context.ts';
import { createByteCounts, type ByteCounts, type CountedBytes } from './byte-counts.ts';
import type { Compression } from './compression.ts';
import { readDollar } from './dollar.ts';
import type { Flight } from './flight.ts';
import { placeOf } from './place.ts';
import { markPageRows, readTargetId } from './promised-rows.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { rowTagOf, type RowRole } from './row-tags.ts';
import { readStreams, type FlightStream } from './streams.ts';
import {
  arrayKind,
  codedDollarKind,
  dollarKind,
  elementKind,
  endAt,
  isStringKind,
  itemsEnd,
  kindAt,
  nextAt,
  numberKind,
  objectKind,
  startAt,
} from './tape.ts';
import { readString } from './value-text.ts';

/**
 * The walk behind attribution.ts. It begins at the root and follows each reference to a row that was not visited before,
 * in the order of the page. Rows that only debug data refers to, and rows that nothing refers to, come last and belong to
 * no element. Without recursion: values may nest ten thousand deep, and rows a million.
 */
type FrameKind = 'array' | 'object' | 'element' | 'row' | 'rows';

type Inherited = { context: ByteContext; element: number; prop: number; owner: number };

type Frame = Inherited & {
  kind: FrameKind;
  /** Its place on the tape; for a row, the row. */
  at: number;
  row: number;
  /** The place of the next value inside, or the next of `rows`. */
  next: number;
  end: number;
  /** How many values inside were visited. */
  index: number;
  /** Its bytes that are in no value inside it. Final when all of those were visited. */
  own: number;
  total: number;
  /** What `own` and `total` cost after compression. */
  ownCost: number;
  totalCost: number;
  /** The prop whose value this is, if it is one. */
  closes: number;
  rows: readonly number[];
};

type Walk = {
  flight: Flight;
  counts: ByteCounts;
  costOf: Compression['of'];
  streams: ReadonlyMap<number, FlightStream>;
  taken: Uint8Array;
  rowTotals: Uint32Array;
  rowCosts: Float32Array;
  firstUse: Uint32Array;
  uses: Uint32Array;
  totals: Uint32Array;
  stack: Frame[];
};

export type WalkedBytes = Pick<Walk, 'rowTotals' | 'rowCosts' | 'firstUse' | 'uses' | 'totals'> & {
  counts: CountedBytes;
  rest: number;
};

const noRows: readonly number[] = [];
const outside = { element: -1, prop: -1, owner: -1 };

export function walkBytes(flight: Flight, costOf: Compression['of']): WalkedBytes {
  const { rows, tape, bytes } = flight;
  const walk: Walk = {
    flight,
    counts: createByteCounts(flight),
    costOf,
    streams: readStreams(flight),
    taken: new Uint8Array(rows.count),
    rowTotals: new Uint32Array(rows.count),
    rowCosts: new Float32Array(rows.count),
    firstUse: new Uint32Array(rows.count),
    uses: new Uint32Array(rows.count),
    totals: new Uint32Array(tape.size),
    stack: [],
  };
  if (flight.root !== undefined) for (const row of rowsFrom(walk, flight.root)) walkRow(walk, row, 'root');
  // Debug rows come first: the models that they refer to (what they say of components) then count as theirs. So do the rows
  // that only elements' owners and stacks refer to.
  const pageRows = markPageRows(flight);
  for (const isDebug of [true, false]) {
    for (let row = 0; row < rows.count; row++) {
      const { role } = readRowTag(rows, row);
      const context = isDebug || pageRows?.[row] === 0 ? 'debug' : 'data';
      if ((role === 'debug') === isDebug) walkRow(walk, row, context);
    }
  }
  const restFrom = rows.starts[rows.count] ?? 0;
  const rest = bytes.length - restFrom;
  count(walk, rest, costOf(restFrom, bytes.length), 'unread', outside);
  const { rowTotals, rowCosts, firstUse, uses, totals } = walk;
  return { counts: walk.counts.read(), rowTotals, rowCosts, firstUse, uses, totals, rest };
}

type Inside = Omit<Inherited, 'context'>;

function count(walk: Walk, bytes: number, cost: number, kind: ByteKind, { element, prop, owner }: Inside): void {
  walk.counts.add(bytes, cost, kind, element, prop, owner);
}

/** The row, and the others of its id when it starts a stream. */
function rowsFrom(walk: Walk, row: number): number[] {
  const stream = walk.streams.get(readHeader(walk.flight.rows, row).id);
  if (stream?.start !== row) return [row];
  return stream.end === undefined ? [row, ...stream.items] : [row, ...stream.items, stream.end];
}

function walkRow(walk: Walk, row: number, context: ByteContext): void {
  if (walk.taken[row] === 1) return;
  openRow(walk, row, { ...outside, context });
  for (let frame = walk.stack.at(-1); frame; frame = walk.stack.at(-1)) {
    if (frame.next >= frame.end) closeFrame(walk, frame);
    else if (frame.kind === 'rows') visitNextRow(walk, frame);
    else if (frame.kind === 'object') visitEntry(walk, frame);
    else visitItem(walk, frame);
  }
}

/** The context of rows whose tag says what they are there for. Others take that of their first user. */
const roleContexts: Partial<Record<RowRole, ByteContext>> = {
  module: 'imports',
  error: 'errors',
  hint: 'hints',
  debug: 'debug',
};

function openRow(walk: Walk, row: number, inherited: Inherited): void {
  const { rows, tape } = walk.flight;
  walk.taken[row] = 1;
  const { tag, start, end } = readHeader(rows, row);
  const model = rows.models[row] ?? 0;
  walk.stack.push({
    ...inherited,
    context: roleContexts[rowTagOf(tag).role] ?? inherited.context,
    kind: 'row',
    at: row,
    row,
    next: model === 0 ? 0 : model - 1,
    end: model === 0 ? 0 : nextAt(tape, model - 1),
    index: 0,
    own: end - start,
    total: 0,
    ownCost: walk.costOf(start, end),
    totalCost: 0,
    closes: -1,
    rows: noRows,
  });
}

/** The kind of a row's own bytes: its header and newline, or all of it when it holds no JSON. */
function rowKind(walk: Walk, { row, context }: Frame): ByteKind {
  if ((walk.flight.rows.models[row] ?? 0) !== 0) return frameKind(context);
  const { tag, payloadStart, payloadEnd } = readHeader(walk.flight.rows, row);
  switch (rowTagOf(tag).holds) {
    case 'text':
      return scalarKind(context, true);
    case 'binary':
      return context === 'debug' ? 'debug' : 'binary';
    case 'number':
      return frameKind(context);
    default:
      return payloadStart === payloadEnd ? frameKind(context) : 'unread';
  }
}

function ownKind(walk: Walk, frame: Frame): ByteKind {
  if (frame.kind === 'row') return rowKind(walk, frame);
  return frame.kind === 'element' ? elementFrameKind(frame.context) : frameKind(frame.context);
}

function closeFrame(walk: Walk, frame: Frame): void {
  const { stack, counts, flight } = walk;
  stack.pop();
  count(walk, frame.own, frame.ownCost, ownKind(walk, frame), frame);
  frame.total += frame.own;
  frame.totalCost += frame.ownCost;
  if (frame.kind === 'row') {
    walk.rowTotals[frame.row] = frame.total;
    walk.rowCosts[frame.row] = frame.totalCost;
  } else walk.totals[frame.at] = frame.total;
  if (frame.kind === 'element' && frame.context !== 'debug') counts.closeElement(frame.element, frame.total);
  if (frame.closes >= 0) counts.closeProp(frame.closes, frame.total, placeOf(flight, frame.row, frame.at));
  const parent = stack.at(-1);
  if (!parent) return;
  parent.total += frame.total;
  parent.totalCost += frame.totalCost;
}

function visitNextRow(walk: Walk, frame: Frame): void {
  const row = frame.rows[frame.next++];
  if (row === undefined || walk.taken[row] === 1) return;
  openRow(walk, row, frame);
}

/** An array's item, an element's part, or a row's model. */
function visitItem(walk: Walk, frame: Frame): void {
  const at = frame.next;
  const { index } = frame;
  frame.next = nextAt(walk.flight.tape, at);
  frame.index += 1;
  let { context } = frame;
  if (frame.kind === 'element') context = partContext(context, index);
  else if (frame.kind === 'array') context = itemContext(context);
  visitValue(walk, frame, at, context, frame.prop, -1);
}

function visitEntry(walk: Walk, frame: Frame): void {
  const { flight } = walk;
  const keyAt = frame.next;
  const at = nextAt(flight.tape, keyAt);
  frame.next = nextAt(flight.tape, at);
  const start = startAt(flight.tape, keyAt);
  const end = endAt(flight.tape, keyAt, flight.bytes);
  const span = end - start;
  const cost = walk.costOf(start, end);
  const key = readString(flight, keyAt);
  const isProp = frame.context === 'props';
  const prop = isProp ? walk.counts.findProp(frame.element, key, placeOf(flight, frame.row, at)) : frame.prop;
  frame.own -= span;
  frame.total += span;
  frame.ownCost -= cost;
  frame.totalCost += cost;
  walk.totals[keyAt] = span;
  count(walk, span, cost, frameKind(frame.context), { ...frame, prop });
  visitValue(walk, frame, at, memberContext(frame.context, key), prop, isProp ? prop : -1);
}

function containerKind(kind: number): FrameKind | undefined {
  if (kind === objectKind) return 'object';
  if (kind === elementKind) return 'element';
  return kind === arrayKind ? 'array' : undefined;
}

function visitValue(walk: Walk, parent: Frame, at: number, context: ByteContext, prop: number, closes: number): void {
  const { flight, stack, counts } = walk;
  const { tape } = flight;
  const { row } = parent;
  const code = kindAt(tape, at);
  const start = startAt(tape, at);
  const end = endAt(tape, at, flight.bytes);
  const span = end - start;
  const cost = walk.costOf(start, end);
  parent.own -= span;
  parent.ownCost -= cost;
  const frame: Frame = {
    kind: 'rows',
    at,
    row,
    next: 0,
    end: 0,
    index: 0,
    context,
    element: parent.element,
    prop,
    owner: parent.owner,
    own: span,
    total: 0,
    ownCost: cost,
    totalCost: 0,
    closes,
    rows: noRows,
  };
  const container = containerKind(code);
  if (container) {
    frame.kind = container;
    frame.next = at + 2;
    frame.end = itemsEnd(tape, at);
    if (container === 'element' && context !== 'debug') {
      frame.element = counts.openElement(row, at);
      frame.prop = -1;
      const owner = counts.findOwner(row, at);
      if (owner >= 0) frame.owner = owner;
    }
    stack.push(frame);
    return;
  }
  const target = code === dollarKind || code === codedDollarKind ? readTarget(walk, at) : undefined;
  if (target === undefined) {
    visitScalar(walk, parent, frame, code);
    return;
  }
  walk.uses[target] = (walk.uses[target] ?? 0) + 1;
  const isFirst = walk.taken[target] !== 1 && !(context === 'debug' && parent.element >= 0);
  if (isFirst) {
    frame.rows = rowsFrom(walk, target);
    frame.end = frame.rows.length;
    for (const used of frame.rows) walk.firstUse[used] = at + 1;
  }
  stack.push(frame);
}

/** The row that a `$` string refers to, when it came. */
function readTarget(walk: Walk, at: number): number | undefined {
  const id = readTargetId(readDollar(readString(walk.flight, at), walk.flight.direction));
  return id === undefined ? undefined : findRow(walk.flight.rows, id);
}

function visitScalar(walk: Walk, parent: Frame, frame: Frame, code: number): void {
  const kind = scalarKind(frame.context, isStringKind(code) || code === numberKind);
  count(walk, frame.own, frame.ownCost, kind, frame);
  walk.totals[frame.at] = frame.own;
  parent.total += frame.own;
  parent.totalCost += frame.ownCost;
  if (frame.closes >= 0) walk.counts.closeProp(frame.closes, frame.own, placeOf(walk.flight, frame.row, frame.at));
}
