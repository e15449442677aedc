import { tunnelPath } from '#src/http/addresses.ts';

import { dropReport, keepReport, keptReports, noteArrival, stampReport } from './kept-reports.ts';

/**
 * The way of a browser's reports to the server: posted one after the other, each kept until the server has answered for
 * good. Without a connection, or told to come back later, it is tried again. It comes with the SDK: what cannot load that
 * cannot send either.
 */

/** Bytes under way with keepalive, for a whole page, by the Fetch standard: 64 KiB. The rest is for others' requests. */
const keepaliveBytes = 60_000;
/** Without a word of the server. A connection that comes back is told of at once. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/** The server says when to come back, and is kept to; ours says seconds, a front may say anything. */
const longestRetryAfterMs = 3_600_000;
/** As long as the server waits for a body. */
const answerTimeoutMs = 30_000;

let isPosting = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What became of one try. */
type Outcome =
  | { readonly status: 'arrived' | 'refused' }
  | { readonly status: 'again'; /** Milliseconds from now. */ readonly wait: number };

/** Sends `envelope` as soon as those before it have arrived. */
export function deliver(envelope: string): void {
  keepReport(envelope);
  void postKept();
}

/** Sends what was kept before this was loaded, and from now on whenever there is a connection again. */
export function startDelivery(): void {
  addEventListener('online', tryAgain);
  void postKept();
}

function isWorthAnother(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** An envelope may be taken and its event not: then the answer names none. */
async function isKept(response: Response): Promise<boolean> {
  const answer: unknown = await response.json();
  return typeof answer === 'object' && answer !== null && 'id' in answer;
}

async function post(envelope: string): Promise<Outcome> {
  const body = stampReport(envelope);
  const wait = Math.min(firstWaitMs * 2 ** failures, longestWaitMs);
  try {
    const response = await fetch(tunnelPath, {
      method: 'POST',
      body,
      keepalive: new Blob([body]).size <= keepaliveBytes,
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const { ok, status, headers } = response;
    if (!isWorthAnother(status)) return { status: ok && (await isKept(response)) ? 'arrived' : 'refused' };
    const asked = Number(headers.get('retry-after')) * 1000;
    return { status: 'again', wait: asked > 0 ? Math.min(asked, longestRetryAfterMs) : wait };
  } catch {
    // No connection, or no answer.
    return { status: 'again', wait };
  }
}

async function postKept(): Promise<void> {
  if (isPosting || timer !== undefined) return;
  isPosting = true;
  for (let envelope = keptReports[0]; envelope !== undefined; envelope = keptReports[0]) {
    const outcome = await post(envelope);
    if (outcome.status === 'again') {
      failures += 1;
      // It may be this one that the server has no room for: those behind it come first the next time.
      keptReports.push(...keptReports.splice(0, 1));
      timer = setTimeout(tryAgain, outcome.wait);
      break;
    }
    failures = 0;
    dropReport();
    if (outcome.status === 'arrived') noteArrival(readDigest(envelope));
  }
  isPosting = false;
}

function tryAgain(): void {
  clearTimeout(timer);
  timer = undefined;
  void postKept();
}

/** The tag of the event; inside of a text the quotes would be escaped. */
function readDigest(envelope: string): string {
  return /"digest":"(\w+)"/.exec(envelope)?.[1] ?? '';
}
