/** What became of a body. `broken`: the connection ended first, so there is nobody left to tell but the log. */
export type BodyOutcome =
  | { readonly outcome: 'complete'; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly outcome: 'too-large' }
  | { readonly outcome: 'too-slow' }
  | { readonly outcome: 'broken'; readonly reason: string };

/**
 * For the whole body, so that a trickle does not get more than a standstill: Node itself waits 5 minutes. A megabyte, the
 * most that anything here takes, needs 21 s at the 400 kbit/s of a slow mobile network.
 */
export const bodyDeadlineMs = 30_000;

/** What the answer to a body that is `too-slow` must carry: the rest would be read as the next request. */
export const closeConnection = { connection: 'close' };

async function collect(request: Request, bytesLimit: number, isLate: () => boolean): Promise<BodyOutcome> {
  // Node's parser ends a body at its declared length, which the caller has checked.
  if (request.headers.has('content-length')) {
    return { outcome: 'complete', body: new Uint8Array(await request.arrayBuffer()) };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest. After the deadline nobody looks at what is returned.
    if (size > bytesLimit || isLate()) return { outcome: 'too-large' };
    chunks.push(chunk);
  }
  return { outcome: 'complete', body: new Uint8Array(Buffer.concat(chunks)) };
}

export type Patience = {
  readonly deadlineMs?: number;
  /** Ends the wait before that. */
  readonly givenUp?: AbortSignal;
};

/**
 * Reads a body that may be hostile: never more than the limit of it is in memory, and never for longer than the deadline.
 * @param bytesLimit the caller has refused a longer declared length already
 */
export async function readBody(
  request: Request,
  bytesLimit: number,
  { deadlineMs = bodyDeadlineMs, givenUp }: Patience = {},
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
    return await Promise.race([collect(request, bytesLimit, () => isLate), late.promise]);
  } catch (error) {
    // The host's own deadline, which counts from the request's first byte.
    const isTimeout = error instanceof Error && 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isTimeout) return { outcome: 'too-slow' };
    return { outcome: 'broken', reason: error instanceof Error ? error.message : 'the body ended early' };
  } finally {
    clearTimeout(timer);
  }
}
