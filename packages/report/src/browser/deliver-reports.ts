import { dropReport, keepReport, keptReports, noteArrival, readAddress, stampReport } from './kept-reports.ts';

/**
 * Sends a browser's errors to the server. They are posted one after the other, and each is kept until the server's
 * answer is final. Without a connection, or when the server says to come back later, a report is sent again. This
 * module may be loaded later than what listens for errors.
 */

/** The Fetch standard allows a whole page 64 KiB in flight with keepalive. The rest is left for other requests. */
const keepaliveBytes = 60_000;
/** When the server gave no time. The browser errors at once when a connection comes back. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/**
 * The server says when to come back, and its time is used. Our server says seconds; a proxy in front may say anything.
 */
const longestRetryAfterMs = 3_600_000;
/** As long as the server waits for a body. */
const answerTimeoutMs = 30_000;

let isPosting = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The result of one attempt. */
type Outcome =
  | { readonly status: 'arrived' | 'refused' }
  | { readonly status: 'again'; /** Milliseconds from now. */ readonly wait: number };

/** Sends `envelope` as soon as the envelopes before it have arrived. */
export function deliver(envelope: string): void {
  keepReport(envelope);
  void postKept();
}

/** Sends what was kept before this module was loaded, and from now on whenever a connection comes back. */
export function startDelivery(): void {
  addEventListener('online', tryAgain);
  void postKept();
}

function isWorthAnother(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** An envelope may be accepted without its event. Then the answer names no event. */
async function isKept(response: Response): Promise<boolean> {
  const answer: unknown = await response.json();
  return typeof answer === 'object' && answer !== null && 'id' in answer;
}

async function post(envelope: string): Promise<Outcome> {
  const body = stampReport(envelope);
  const wait = Math.min(firstWaitMs * 2 ** failures, longestWaitMs);
  try {
    const response = await fetch(readAddress(), {
      method: 'POST',
      body,
      // No cookie of a recorder elsewhere.
      credentials: 'same-origin',
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
      // The server may have no room for this one report. Next time the reports behind it come first.
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

/** The tag of the event. Inside a text the quotes would be escaped. */
function readDigest(envelope: string): string {
  return /"digest":"(\w+)"/.exec(envelope)?.[1] ?? '';
}
