import type { BodyLimit, Refused } from './check-request.ts';
import { describeError } from '#boundary';

/** `broken`: the connection ended before the body did, so the log alone is told. */
type BodyOutcome =
  | { readonly outcome: 'complete'; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'too-slow' }
  | { readonly outcome: 'no-place' }
  | { readonly outcome: 'broken'; readonly reason: string };

/**
 * For the whole body, so that a client cannot extend it by sending a byte now and then; Node itself waits 5 minutes. A
 * megabyte, the most that anything here takes, needs 21 s at the 400 kbit/s of a slow mobile network.
 */
export const bodyDeadlineMs = 30_000;

/** Most bodies have less: of what is larger, few may be in memory where many are sent at once. */
const largeBytes = 128 * 1024;

/** One buffer that grows, so that a chunk is free again as soon as it is copied. */
function createBodyBuffer() {
  let bytes = new Uint8Array(16 * 1024);
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      const needed = size + chunk.byteLength;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
      }
      bytes.set(chunk, size);
      size = needed;
    },
    take: () => bytes.slice(0, size),
  };
}

async function collect(
  request: Request,
  bytesLimit: number,
  isLate: () => boolean,
  enterLarge: () => boolean,
): Promise<BodyOutcome> {
  // Node's parser ends a body at its declared length, which the caller has checked. The length keeps it from being chunked.
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > largeBytes && !enterLarge()) return { outcome: 'no-place' };
    return { outcome: 'complete', body: new Uint8Array(await request.arrayBuffer()) };
  }
  const buffer = createBodyBuffer();
  let size = 0;
  for await (const chunk of request.body ?? []) {
    const before = size;
    size += chunk.byteLength;
    if (before <= largeBytes && size > largeBytes && !enterLarge()) return { outcome: 'no-place' };
    // Leaving the loop cancels the rest. After the deadline the returned value is not used.
    if (size > bytesLimit || isLate()) return { outcome: 'too-large' };
    buffer.add(chunk);
  }
  return { outcome: 'complete', body: buffer.take() };
}

export type Patience = {
  readonly deadlineMs?: number;
  /** Ends the wait before that. */
  readonly givenUp?: AbortSignal;
  /** Called before more than `largeBytes` of the body are in memory. False: there is no place for it. */
  readonly enterLarge?: () => boolean;
};

async function readBody(
  request: Request,
  bytesLimit: number,
  { deadlineMs = bodyDeadlineMs, givenUp, enterLarge = () => true }: Patience,
): Promise<BodyOutcome> {
  let isLate = false;
  const late = Promise.withResolvers<BodyOutcome>();
  function giveUp(): void {
    isLate = true;
    late.resolve({ outcome: 'too-slow' });
  }
  const timer = setTimeout(giveUp, deadlineMs);
  givenUp?.addEventListener('abort', giveUp);
  try {
    return await Promise.race([collect(request, bytesLimit, () => isLate, enterLarge), late.promise]);
  } catch (error) {
    // The host's own deadline, which counts from the request's first byte.
    const isTimeout = error instanceof Error && 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isTimeout) return { outcome: 'too-slow' };
    return { outcome: 'broken', reason: describeError(error) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a body that may be hostile: never more than the limit of it is in memory, and never for longer than the deadline.
 * @param limit the caller has refused a longer declared length already (`checkDeclaredLength`)
 */
export async function takeBody(
  request: Request,
  { bytes, code }: BodyLimit,
  patience: Patience = {},
): Promise<Uint8Array<ArrayBuffer> | Refused> {
  const read = await readBody(request, bytes, patience);
  switch (read.outcome) {
    case 'complete':
      return read.body;
    case 'too-large':
      return { code, detail: `more than ${bytes} bytes, undeclared` };
    case 'too-slow':
      return { code: 'too-slow', detail: 'the body did not arrive in time' };
    case 'no-place':
      return { code: 'overloaded', detail: 'too many large bodies at once' };
    case 'broken':
      return { code: 'malformed-request', detail: read.reason };
  }
}
