import type { ReplyFile, ReplyPart } from '../multipart.ts';
import type { Breaches } from './forgery.ts';

/**
 * The parts of one reply by what their names say they are. Fields are counted from 0 in the order in which they came.
 */
export type SentPart = {
  readonly index: number;
  /** As it came, with its prefix. */
  readonly name: string;
  readonly value: string | ReplyFile;
};

export type SentParts = {
  /** By number: `0` is the arguments, the others what they refer to. */
  readonly byId: ReadonlyMap<number, SentPart>;
  /** Items of streams, in order. */
  readonly streams: ReadonlyMap<number, readonly SentPart[]>;
  /** Fields of FormData among the arguments. */
  readonly forms: ReadonlyMap<number, readonly SentPart[]>;
  /** Fields that are no part. */
  readonly others: readonly SentPart[];
};

const partName = /^(S?)(0|[1-9]\d{0,8})$/;
/** Without the first `_` before December 2025. */
const entryName = /^_?([1-9]\d{0,8})_/;

function push(map: Map<number, SentPart[]>, id: number, part: SentPart): void {
  const known = map.get(id);
  if (known) known.push(part);
  else map.set(id, [part]);
}

/** A part and its place among all. */
export type PlacedPart = readonly [index: number, part: ReplyPart];

/**
 * @param parts that begin with `prefix`, which is taken off; of a call it is empty
 */
export function sortParts(parts: Iterable<PlacedPart>, prefix: string, breaches: Breaches): SentParts {
  const byId = new Map<number, SentPart>();
  const streams = new Map<number, SentPart[]>();
  const forms = new Map<number, SentPart[]>();
  const others: SentPart[] = [];
  for (const [index, { name, value }] of parts) {
    const part = { index, name, value };
    const own = name.slice(prefix.length);
    const [, stream, number] = partName.exec(own) ?? [];
    const form = entryName.exec(own)?.[1];
    if (number === undefined && form === undefined) others.push(part);
    else if (number === undefined) push(forms, Number(form), part);
    else if (stream === 'S') push(streams, Number(number), part);
    else if (byId.has(Number(number))) breaches.add('twice', name, 'this part came twice');
    else byId.set(Number(number), part);
  }
  return { byId, streams, forms, others };
}
