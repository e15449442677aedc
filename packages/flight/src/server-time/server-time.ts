import { Malformed, readCount, readFields, readList, readNumber, readOrNull, readText } from '../file-fields.ts';

/**
 * What a server did while it answered a flight, as its app told it: spans of OpenTelemetry, and the components and functions of a Waku
 * app, in the order in which they began, each followed by those within it. A recorder puts it together; here it is read, in a page, a
 * terminal and a file alike.
 */
export const spanKinds = [
  // Those of OpenTelemetry, then what timed code tells besides: a server component, a server function, where one of them waited.
  'internal',
  'server',
  'client',
  'producer',
  'consumer',
  'component',
  'function',
  'wait',
] as const;
export type SpanKind = (typeof spanKinds)[number];

export type PlacedSpan = {
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the flight began. */
  readonly at: number;
  readonly ms: number;
  /** How many spans it is within. */
  readonly depth: number;
  /** Of the time, what none of those within it covers: where it waited or worked itself. */
  readonly ownMs: number;
  readonly hasFailed: boolean;
  /** It went on when its request was answered: `ms` is until then. */
  readonly isOpen?: boolean | undefined;
  /** Where it is written: `src/pages/cart.tsx:12`. */
  readonly place?: string | undefined;
  /** Of a wait: what it waited for uses nothing that the component got before, as far as its code shows. */
  readonly isFree?: boolean | undefined;
};

const tellers = ['code', 'opentelemetry'] as const;

export type ServerTime = {
  readonly spans: readonly PlacedSpan[];
  /** What is not shown, since there are too many. */
  readonly left: number;
  /** Where the sender's clock differs from the recorder's, by how much its times were moved. */
  readonly movedMs: number;
  /** Who told it: timed code of the app, its OpenTelemetry, or both. */
  readonly tellers: readonly (typeof tellers)[number][];
};

/** As many lines as somebody reads. What took longest is shown. */
export const spansShown = 200;
/** A recorder reads no more spans of a flight at once, so none is within more. */
const deepest = 5_000;

/** In files and answers of the API: docs/flight-file.md. */
export type WrittenServerTime = {
  tellers: (typeof tellers)[number][];
  movedMs: number;
  left: number;
  spans: {
    name: string;
    kind: SpanKind;
    place: string | null;
    atMs: number;
    ms: number;
    ownMs: number;
    depth: number;
    hasFailed: boolean;
    isOpen: boolean;
    isFree: boolean;
  }[];
};

export function writeServerTime(time: ServerTime): WrittenServerTime {
  return {
    tellers: [...time.tellers],
    movedMs: time.movedMs,
    left: time.left,
    spans: time.spans.map(({ name, kind, place = null, at, ms, ownMs, depth, hasFailed, ...states }) => {
      const { isOpen = false, isFree = false } = states;
      return { name, kind, place, atMs: at, ms, ownMs, depth, hasFailed, isOpen, isFree };
    }),
  };
}

function readFlag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Malformed(`${name} must be true or false`);
}

function readSpan(value: unknown, name: string): PlacedSpan {
  const fields = readFields(value, name);
  const kind = spanKinds.find((one) => one === fields['kind']);
  if (!kind) throw new Malformed(`${name}.kind must be one of ${spanKinds.join(', ')}`);
  const depth = readCount(fields['depth'], `${name}.depth`);
  if (!Number.isInteger(depth) || depth > deepest) {
    throw new Malformed(`${name}.depth must be a whole number up to ${deepest}`);
  }
  const place = readOrNull(fields['place'], `${name}.place`, readText);
  return {
    name: readText(fields['name'], `${name}.name`),
    kind,
    at: readNumber(fields['atMs'], `${name}.atMs`),
    ms: readCount(fields['ms'], `${name}.ms`),
    depth,
    ownMs: readCount(fields['ownMs'], `${name}.ownMs`),
    hasFailed: readFlag(fields['hasFailed'], `${name}.hasFailed`),
    ...(readFlag(fields['isOpen'], `${name}.isOpen`) ? { isOpen: true } : {}),
    ...(readFlag(fields['isFree'], `${name}.isFree`) ? { isFree: true } : {}),
    ...(place === null ? {} : { place }),
  };
}

/** Of a file that anybody may have written. @throws Malformed */
export function readServerTime(value: unknown, name: string): ServerTime {
  const fields = readFields(value, name);
  const told = readList(fields['tellers'], `${name}.tellers`, tellers.length);
  const spans = readList(fields['spans'], `${name}.spans`, spansShown);
  if (spans.length === 0) throw new Malformed(`${name}.spans must have one at least`);
  return {
    tellers: tellers.filter((teller) => told.includes(teller)),
    movedMs: readNumber(fields['movedMs'], `${name}.movedMs`),
    left: readCount(fields['left'], `${name}.left`),
    spans: spans.map((span, index) => readSpan(span, `${name}.spans[${index}]`)),
  };
}
