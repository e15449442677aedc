import { createHold, type Screen, type Screening } from '#src/proxy/screen.ts';

export type Verdict = 'fine' | 'forged' | 'too long';

/** The body as far as it is looked at; undefined: it is longer, or there is no room for it. */
async function readCopy(copy: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const reader = copy.getReader();
  let gaveWay = false;
  const hold = createHold(limit, () => {
    gaveWay = true;
    // What is read at the moment ends.
    reader.cancel().catch(() => undefined);
  });
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (hold.add(Buffer.from(read.value))) continue;
      // Not waited for: it ends when the request itself has been read.
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    return gaveWay ? undefined : Buffer.concat(hold.chunks);
  } finally {
    hold.release();
  }
}

/** To its end, without keeping anything: who still sends does not read the answer, and its connection cannot be used again. */
async function drain({ body }: Request): Promise<void> {
  const reader = body?.getReader();
  while (reader && !(await reader.read()).done);
}

async function judgeBody(request: Request, { limit, refusesLarger, isRefused }: Screening): Promise<Verdict> {
  // The copy shares what the body holds: whoever reads the request afterwards gets all of it.
  const copy = request.clone().body;
  if (!copy) return 'fine';
  const body = await readCopy(copy, limit);
  if (!body && !refusesLarger) return 'fine';
  if (!body) {
    await drain(request);
    return 'too long';
  }
  return isRefused(body) ? 'forged' : 'fine';
}

/**
 * Waits for the body of what may call a server function, and says whether the app may have it. The request can be read afterwards.
 * It never rejects: where the body breaks off, the app meets that itself.
 */
export async function screenFetch(screen: Screen, request: Request): Promise<Verdict> {
  const { method, url, headers } = request;
  if (method === 'GET' || method === 'HEAD') return 'fine';
  const { pathname, search } = new URL(url);
  const screening = screen({ method, target: pathname + search, headers: [...headers].flat() });
  if (!screening) return 'fine';
  try {
    return await judgeBody(request, screening);
  } catch {
    return 'fine';
  }
}
