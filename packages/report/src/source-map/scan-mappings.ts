/**
 * Finds segments in the mappings of a source map by passing over their text once, without decoding it into arrays: a map of 10 MB has
 * a million segments, which as arrays take 100 MB. Here it takes the text alone, and what was found is kept by whoever asks.
 *
 * Format: https://tc39.es/ecma426/. Lines are separated by `;`, segments by `,`. A segment is one, four or five numbers (the column,
 * the source, its line and column, the name), each the difference to the one before, in base 64 digits of five bits. Columns ascend
 * within a line; a segment that goes back is left out.
 */
export type Wanted = {
  /** From 0. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
};

/** What is at a position: indexes into the map's lists; line and column from 0. */
export type Segment = {
  readonly source: number;
  readonly line: number;
  readonly column: number;
  /** Undefined where the segment names nothing. */
  readonly name: number | undefined;
};

const semicolon = 59;
const comma = 44;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Int8Array(128).fill(-1);
for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value;
/** 32 bits have seven digits. */
const mostShift = 30;

type Place = { readonly index: number; readonly column: number };

/** What is wanted of each line, by column. */
function groupByLine(wanted: readonly Wanted[]): ReadonlyMap<number, readonly Place[]> {
  const lines = new Map<number, Place[]>();
  for (const [index, { line, column }] of wanted.entries()) {
    const places = lines.get(line);
    if (places) places.push({ index, column });
    else lines.set(line, [{ index, column }]);
  }
  for (const places of lines.values()) places.sort((one, other) => one.column - other.column);
  return lines;
}

type OnSegment = (numbers: Int32Array, count: number) => void;

/**
 * All segments, up to the end of a line.
 * @param onSegment is given the numbers of the segment, added up, and how many it has; the array is used again for the next one
 * @throws when the text is not what the format says
 */
export function visitSegments(mappings: string, lastLine: number, onSegment: OnSegment, onLineEnd: () => void): void {
  const sums = new Int32Array(5);
  let [line, count, value, shift] = [0, 0, 0, 0];

  function endSegment(): void {
    if (count > 0) onSegment(sums, count);
    count = 0;
    value = 0;
    shift = 0;
  }

  for (let at = 0; at < mappings.length && line <= lastLine; at += 1) {
    const code = mappings.charCodeAt(at);
    if (code === comma) endSegment();
    else if (code === semicolon) {
      endSegment();
      onLineEnd();
      line += 1;
      sums[0] = 0;
    } else {
      const digit = code < 128 ? (values[code] ?? -1) : -1;
      if (digit < 0 || shift > mostShift) throw new Error('the mappings are not what the format says');
      value |= (digit & 31) << shift;
      shift += 5;
      if ((digit & 32) !== 0) continue;
      if (count < 5) sums[count] = (sums[count] ?? 0) + ((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
      count += 1;
      value = 0;
      shift = 0;
    }
  }
  endSegment();
  if (line <= lastLine) onLineEnd();
}

const noPlaces: readonly Place[] = [];

/** @throws when the text is not what the format says */
export function findSegments(mappings: string, wanted: readonly Wanted[]): (Segment | undefined)[] {
  const found = wanted.map((): Segment | undefined => undefined);
  const byLine = groupByLine(wanted);
  /** The numbers of the latest segment of the line, and how many it has; 0 before the first. */
  const latest = new Int32Array(5);
  let latestCount = 0;
  let line = 0;
  let places = byLine.get(0) ?? noPlaces;
  /** Of `places`: those before it are found. */
  let next = 0;

  function readLatest(): Segment | undefined {
    const [, source = 0, from = 0, column = 0, name = 0] = latest;
    return latestCount < 4 ? undefined : { source, line: from, column, name: latestCount < 5 ? undefined : name };
  }

  /** Those before `column` have the segment before it. */
  function settleBefore(column: number): void {
    for (let place = places[next]; place && place.column < column; place = places[next]) {
      found[place.index] = readLatest();
      next += 1;
    }
  }

  function take(numbers: Int32Array, count: number): void {
    const [column = 0] = numbers;
    if (next >= places.length || (latestCount > 0 && column < (latest[0] ?? 0))) return;
    // Of several at one column the first counts where exactly that is wanted, else the last: as other readers have it.
    settleBefore(column);
    latest.set(numbers);
    latestCount = count;
    settleBefore(column + 1);
  }

  function endLine(): void {
    settleBefore(Infinity);
    line += 1;
    places = byLine.get(line) ?? noPlaces;
    next = 0;
    latestCount = 0;
  }

  visitSegments(mappings, Math.max(-1, ...byLine.keys()), take, endLine);
  return found;
}
