import { describeError } from '#boundary';

import { checkDeclaredLength, type BodyLimit, type Refused } from './check-request.ts';
import { writeLog } from './log.ts';
import { takeBody } from './read-body.ts';
import type { ReadingPlace } from './reading-places.ts';
import { createTurns } from './turns.ts';
import { type Coding, readCoding, unpackBody } from './unpack-body.ts';

/**
 * What somebody outside sends, from the first look at its head to the answer. In this order: the method; who sends, by an origin or a
 * key; the sender's rate; the media type, the coding, the declared length; a place. Then its body is read and counted, unpacked and counted
 * again, and kept. So a stranger costs a comparison, everybody is bounded before anything is read, and each refusal is one answer of the
 * endpoint's own.
 */
export type Refusal = Refused & {
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of an app that exists: its page says why nothing comes. */
  readonly app?: string | undefined;
};

type Sender = { readonly app?: { readonly id: string } | undefined };
/** Who shows no key: the address is where it is known. */
export type Stranger = { readonly app?: undefined; readonly address: string | undefined };

export type Receiver<S extends Sender> = {
  /** One of them, for the log: `<what>-not-stored`. */
  readonly what: string;
  /** Without them the type is not looked at. */
  readonly types?: readonly string[];
  /** What is taken beside `identity`. */
  readonly codings?: readonly Coding[];
  readonly limit: BodyLimit;
  /** Of a body that is not packed any more; as many as it may have when it is sent, unless it is given. */
  readonly unpackedBytes?: number;
  /** For the whole body: `bodyDeadlineMs` of read-body.ts, unless it is given. */
  readonly deadlineMs?: number;
  /** How many are unpacked and kept at a time: the others wait with their body as it was sent, those of each app in turn. */
  readonly together?: number;
  /** When a sender may come again that found no place, or nobody who could keep it. */
  readonly retrySeconds?: number;
  /** @param address the sender's, where it is known */
  readonly authorise: (request: Request, address: string | undefined) => S | Refusal | Promise<S | Refusal>;
  /** @returns the seconds to wait; 0: it may be read */
  readonly wait?: (sender: S) => number;
  /** @param giveWay ends the reading, for somebody else @returns undefined when there is no place */
  readonly enter?: (sender: S, giveWay: () => void) => ReadingPlace | undefined;
  /** Keeps it for good, and answers. What it throws is logged, and answered with 503. */
  readonly keep: (body: Uint8Array, sender: S, request: Request) => Response | Promise<Response>;
  readonly refuse: (refusal: Refusal) => Response;
};

const busySeconds = 1;
/** As long as the store waits before it tries the disk again. */
export const storeRetrySeconds = 10;

function withRetry(code: Refused['code'], detail: string, seconds: number): Refusal {
  return { code, detail, headers: { 'retry-after': String(seconds) } };
}

/** The media type without what is added to it. */
export function readMediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

type Head = Pick<Receiver<Sender>, 'types' | 'codings' | 'limit'>;

/** @returns how the body is packed, or what is wrong with the head */
function checkHead(request: Request, { types, codings = [], limit }: Head): Coding | Refusal {
  const type = readMediaType(request);
  if (types && !types.includes(type)) {
    return { code: 'unsupported-type', detail: type || 'no Content-Type', headers: { accept: types.join(', ') } };
  }
  const said = request.headers.get('content-encoding') ?? undefined;
  const coding = readCoding(said);
  if (coding === undefined || (coding !== 'identity' && !codings.includes(coding))) {
    const headers = { 'accept-encoding': [...codings, 'identity'].join(', ') };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${said}`, headers };
  }
  return checkDeclaredLength(request, limit) ?? coding;
}

async function unpack(
  body: Uint8Array,
  coding: Coding,
  { code }: BodyLimit,
  most: number,
): Promise<Uint8Array | Refused> {
  const unpacked = await unpackBody(body, coding, most);
  switch (unpacked) {
    case 'too-large':
      return { code, detail: `more than ${most} bytes, unpacked` };
    case 'malformed':
      return { code: 'malformed-request', detail: `the body is not ${coding}` };
    default:
      return unpacked;
  }
}

/** Where another limit counts who is being read. */
const anyPlace: ReadingPlace = { keep: () => undefined, leave: () => undefined };

/** @returns a function that answers a request */
export function receive<S extends Sender>(receiver: Receiver<S>) {
  const { what, limit, unpackedBytes = limit.bytes, together, retrySeconds, deadlineMs } = receiver;
  const takeTurn = together === undefined ? undefined : createTurns(together);
  const patience = deadlineMs === undefined ? {} : { deadlineMs };

  async function take(
    request: Request,
    sender: S,
    coding: Coding,
    { keep, givenUp }: { readonly keep: () => void; readonly givenUp: AbortSignal },
  ): Promise<Response | Refusal> {
    const body = await takeBody(request, limit, { ...patience, givenUp });
    if ('code' in body) return body;
    keep();
    const endTurn = await takeTurn?.(sender.app?.id ?? '');
    try {
      const bytes = coding === 'identity' ? body : await unpack(body, coding, limit, unpackedBytes);
      return 'code' in bytes ? bytes : await receiver.keep(bytes, sender, request);
    } finally {
      endTurn?.();
    }
  }

  async function takeKnown(request: Request, sender: S): Promise<Response | Refusal> {
    const wait = receiver.wait?.(sender) ?? 0;
    if (wait > 0) return withRetry('too-many-requests', `too many ${what}s`, wait);
    const coding = checkHead(request, receiver);
    if (typeof coding !== 'string') return coding;
    const slow = new AbortController();
    const place = receiver.enter ? receiver.enter(sender, () => slow.abort()) : anyPlace;
    if (!place) return withRetry('overloaded', 'too many at once', retrySeconds ?? busySeconds);
    try {
      return await take(request, sender, coding, { keep: place.keep, givenUp: slow.signal });
    } catch (error) {
      // Not rethrown: where the store fails, an error that is told would come back here.
      writeLog('error', `${what}-not-stored`, { app: sender.app?.id, reason: describeError(error) });
      return withRetry('not-stored', 'it could not be stored', retrySeconds ?? storeRetrySeconds);
    } finally {
      place.leave();
    }
  }

  return async function answer(request: Request, address?: string): Promise<Response> {
    if (request.method !== 'POST') {
      return receiver.refuse({ code: 'wrong-method', detail: 'only POST', headers: { allow: 'POST' } });
    }
    const asked = receiver.authorise(request, address);
    const sender = asked instanceof Promise ? await asked : asked;
    if ('code' in sender) return receiver.refuse(sender);
    const taken = await takeKnown(request, sender);
    return taken instanceof Response ? taken : receiver.refuse({ ...taken, app: sender.app?.id });
  };
}
