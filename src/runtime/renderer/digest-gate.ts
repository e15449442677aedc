import 'server-only';

import { formatDigest } from '#report/digest.ts';
import { whenKept } from '../errors/kept-digests.ts';
import type { Body, BodyStart, Sink } from '#src/server/http/body.ts';

/**
 * Holds back bytes that carry a digest until its record is kept (errors/kept-digests.ts), and all bytes after them in the
 * same body, because the order of bytes must stay. Bytes before them are not held. A body of a request without errors costs
 * one look at an empty list.
 *
 * The digest is searched in the bytes, in its stored form and as people read it, before they are compressed. A digest that
 * the end of a chunk cuts in two is found with its second half; the first half alone is of no use to anybody.
 */
const nothing = new Uint8Array();
/**
 * A formatted digest, less one character: what the chunk before can hold of one that is cut. Base64 is never cut: a script has
 * it whole.
 */
const tailLength = 10;

/**
 * The ways in which a digest may stand in a body: as it is stored, as people read it, and inside base64, which a page's script
 * has for a chunk of rows that also holds bytes. Base64 takes three bytes at a time, so it has three spellings, by where the
 * digest begins; what is searched for is the part of each that does not depend on its neighbours.
 */
function spell(digest: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.from(`${' '.repeat(before)}${digest}`).toString('base64');
    const whole = Math.floor((before + digest.length) / 3) * 4;
    return text.slice(4, whole);
  });
  return [digest, formatDigest(digest), ...inBase64];
}

/** Finds digests that wait in a sequence of chunks. Undefined when `chunk` completes none of them. */
function createDigestFinder(digests: readonly string[]): (chunk: Uint8Array) => Promise<unknown> | undefined {
  let tail: Uint8Array = nothing;
  return function findWaiting(chunk) {
    if (digests.length === 0) return undefined;
    // What was written before a digest was minted cannot hold a part of it; from the first one on the ends are kept.
    const text = Buffer.concat([tail, chunk]);
    tail = text.subarray(-tailLength);
    const waits = digests.flatMap((digest) => {
      const kept = whenKept(digest);
      return kept && spell(digest).some((spelling) => text.includes(spelling)) ? [kept] : [];
    });
    return waits.length > 0 ? Promise.all(waits) : undefined;
  };
}

/** The same for a stream that is React's own: development's. */
export function gateStream(stream: ReadableStream<Uint8Array>, digests: readonly string[]): ReadableStream<Uint8Array> {
  const findWaiting = createDigestFinder(digests);
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await findWaiting(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
}

const nobody: Sink = { write: () => false, end: () => undefined, destroy: () => undefined };

type Ending =
  | { readonly type: 'none' }
  | { readonly type: 'end' }
  | { readonly type: 'failure'; readonly error: unknown };

/** `wait` is there while the record of a digest in `bytes` is not kept. */
type Piece = { readonly bytes: Uint8Array; wait: Promise<void> | undefined };

type GateOptions = {
  /** Called when the first bytes may leave. */
  readonly onFirstBytes?: () => void;
  /** See `Body.sent`. */
  readonly onSent?: (response: number, transferred: number | undefined) => void;
};

/**
 * `body` behind a gate.
 * @param digests those of its request: a list that grows while the body is made
 */
export function gateDigests(body: Body, digests: readonly string[], { onFirstBytes, onSent }: GateOptions = {}): Body {
  const findWaiting = createDigestFinder(digests);
  /** What is not sent yet, oldest first: it waits, or comes after something that does, or nobody has called `start`. */
  const queue: Piece[] = [];
  let ending: Ending = { type: 'none' };
  let sink: Sink | undefined;
  let isBegun = false;
  /** The body behind was paused. */
  let isResting = false;
  let hasFirstBytes = false;

  async function sendAfter(wait: Promise<unknown>, piece: Piece): Promise<void> {
    await wait;
    piece.wait = undefined;
    send();
  }

  /** Before bytes go to the socket. */
  function noteFirstBytes(): void {
    if (hasFirstBytes) return;
    hasFirstBytes = true;
    onFirstBytes?.();
  }

  function queueUp(bytes: Uint8Array, wait: Promise<unknown> | undefined): void {
    const piece: Piece = { bytes, wait: undefined };
    if (wait) piece.wait = sendAfter(wait, piece);
    queue.push(piece);
  }

  function send(): void {
    let hasRoom = true;
    for (let piece = queue[0]; sink && piece && !piece.wait; piece = queue[0]) {
      queue.shift();
      noteFirstBytes();
      hasRoom = sink.write(piece.bytes);
    }
    if (!sink || queue.length > 0) return;
    if (ending.type === 'end') return sink.end(nothing);
    if (ending.type === 'failure') return sink.destroy(ending.error);
    if (hasRoom) resume();
  }

  function resume(): void {
    if (!isResting || queue.length > 0) return;
    isResting = false;
    body.resume();
  }

  const gate: Sink = {
    write(bytes) {
      const wait = findWaiting(bytes);
      // The body is paused while something is held, so that what is held has a bound.
      if (wait || queue.length > 0 || !sink) queueUp(bytes, wait);
      else {
        noteFirstBytes();
        if (sink.write(bytes)) return true;
      }
      isResting = true;
      return false;
    },
    end(bytes) {
      const wait = findWaiting(bytes);
      if (!wait && queue.length === 0 && sink) {
        noteFirstBytes();
        return sink.end(bytes);
      }
      ending = { type: 'end' };
      queueUp(bytes, wait);
    },
    destroy(error) {
      ending = { type: 'failure', error };
      send();
    },
  };

  function begin(): BodyStart {
    isBegun = true;
    const first = body.start(gate);
    const wait = findWaiting(first.bytes);
    if (!wait && sink) {
      if (first.bytes.byteLength > 0) noteFirstBytes();
      return first;
    }
    if (first.isComplete) ending = { type: 'end' };
    queueUp(first.bytes, wait);
    return { bytes: nothing, isComplete: false };
  }

  return {
    settle() {
      if (digests.length === 0 || isBegun) return undefined;
      begin();
      return queue[0]?.wait;
    },
    start(next) {
      sink = next;
      if (!isBegun) return begin();
      const parts: Uint8Array[] = [];
      for (let piece = queue[0]; piece && !piece.wait; piece = queue[0]) {
        queue.shift();
        parts.push(piece.bytes);
      }
      if (parts.length > 0) noteFirstBytes();
      const isComplete = queue.length === 0 && ending.type === 'end';
      // After the caller has what is there: it comes first.
      if (!isComplete && queue.length === 0) process.nextTick(send);
      return { bytes: Buffer.concat(parts), isComplete };
    },
    resume,
    sent: (response, transferred) => onSent?.(response, transferred),
    cancel() {
      // What is held cannot be sent: a web stream whose reader has gone takes nothing more.
      queue.length = 0;
      sink = nobody;
      body.cancel();
    },
  };
}
