import { listPairs, type RawHeaders } from './write-head.ts';

/**
 * Whether a request is passed on, and how its body is framed. All visitors reach the interface from one process: bytes of a body
 * that the interface took for the next request would be answered to somebody else. So nobody's framing is passed on: the length
 * is read here, checked, and written anew, and a body without a length goes in chunks.
 *
 * What is not one of the interface's methods is refused, and so is a body where the method has none.
 */
export type Framing =
  | { readonly type: 'none' }
  | { readonly type: 'length'; readonly length: number }
  | { readonly type: 'chunked' }
  | { readonly type: 'refused'; readonly status: 400 | 405 };

/** A body, as it is framed on the way to the interface (ask-interface.ts). */
export type Body = {
  /** Undefined: it goes in chunks. */
  readonly length: number | undefined;
  readonly pieces: AsyncIterable<unknown>;
};

export type Sent = {
  readonly method: string;
  /** As it came. */
  readonly target: string;
  readonly headers: RawHeaders;
  /** HTTP/2, and web requests that are not Node's: a body may have neither of the two headers. */
  readonly isFramedElsewhere: boolean;
};

/** Requests that have no body. Pages and files, and CORS of browsers' reports. */
export const bodylessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Actions, reports and uploads; a release is completed by PUT (faults/middleware/source-maps.ts). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT']);
export const allowedMethods = [...bodylessMethods, ...bodyMethods].join(', ');

/** Fifteen digits are exact as a number. */
const decimal = /^\d{1,15}$/;

const refused: Framing = { type: 'refused', status: 400 };

function listValues(headers: RawHeaders, name: string): string[] {
  return [...listPairs(headers)].flatMap(([each, value]) => (each.toLowerCase() === name ? [value.trim()] : []));
}

export function readFraming({ method, target, headers, isFramedElsewhere }: Sent): Framing {
  const hasNoBody = bodylessMethods.has(method);
  if (!hasNoBody && !bodyMethods.has(method)) return { type: 'refused', status: 405 };
  // A whole URL names a host of its own, and may hold a password.
  if (!target.startsWith('/')) return refused;
  const lengths = listValues(headers, 'content-length');
  const codings = listValues(headers, 'transfer-encoding');
  if (lengths.length + codings.length > 1) return refused;
  const [given] = lengths;
  const [coding] = codings;
  if (given !== undefined && !decimal.test(given)) return refused;
  if (coding !== undefined && (hasNoBody || coding.toLowerCase() !== 'chunked')) return refused;
  const length = Number(given ?? 0);
  if (hasNoBody) return length > 0 ? refused : { type: 'none' };
  if (coding !== undefined || (given === undefined && isFramedElsewhere)) return { type: 'chunked' };
  return { type: 'length', length };
}

/** What the interface is sent of it. Where nothing was declared, nothing is. */
export function toBody(framing: Framing, pieces: AsyncIterable<unknown>): Body | undefined {
  switch (framing.type) {
    case 'length':
      return framing.length > 0 ? { length: framing.length, pieces } : undefined;
    case 'chunked':
      return { length: undefined, pieces };
    case 'none':
    case 'refused':
      return undefined;
  }
}
