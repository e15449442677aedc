import 'server-only';

import { checkDeclaredLength, checkOrigin, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { renderPlainPage } from '#src/server/http/plain-page.ts';
import { refuse, renderPage, pageIcon } from '#src/server/http/refuse.ts';
import { toNetwork } from '#src/server/http/to-network.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';
import { toNextPath } from '#src/access/next-path.ts';
import type { KeptFeedback, PageFeedback } from '#src/faults/feedback/keep-page-feedback.ts';
import { formatDigest, isDigest } from '#report/digest.ts';

/**
 * Takes the form of the error page: what a visitor was doing when the error happened. Anyone can post it, so everything is bounded
 * before it is read, in this order: method, origin, type, encoding, declared length, rate, counted length. It is a form that the
 * browser submits itself, without JavaScript too, so its answers are pages.
 *
 * The answer is the same whether the digest is known or not: otherwise strangers could try out which digests exist.
 */

/** The form has 3,700 bytes at most (src/runtime/errors/error-help.tsx). */
const bodyLimit: BodyLimit = { bytes: 4 * 1024, code: 'form-too-large' };
/** As for a login: a form of this size is sent in one go. */
const bodyDeadlineMs = 5_000;

const limits = {
  /** A person who meets several errors, and writes about each. */
  own: { size: 5, perSecond: 1 / 20 },
  /** At once: a release that breaks a page which many people have open. For long: more than anybody reads. */
  shared: { size: 50, perSecond: 1 },
  divided: 'shared',
} as const;

function checkHeaders(request: Request, publicOrigin: string | undefined): Refused | undefined {
  const foreign = checkOrigin(request, publicOrigin);
  if (foreign) return foreign;
  const type = request.headers.get('content-type') ?? 'no Content-Type';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return { code: 'unsupported-type', detail: type };
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null) return { code: 'unsupported-type', detail: `Content-Encoding: ${encoding}` };
  return checkDeclaredLength(request, bodyLimit);
}

function parseForm(body: Uint8Array): PageFeedback | Refused {
  const fields = new URLSearchParams(new TextDecoder().decode(body));
  for (const name of ['digest', 'message', 'path']) {
    if (fields.getAll(name).length > 1) return { code: 'malformed-request', detail: `the field ${name} twice` };
  }
  const digest = fields.get('digest');
  if (!isDigest(digest)) return { code: 'malformed-request', detail: 'no digest' };
  const message = (fields.get('message') ?? '').trim();
  if (message === '') return { code: 'malformed-request', detail: 'no message' };
  return { digest, message, path: toNextPath(fields.get('path')) };
}

async function takeForm(request: Request): Promise<PageFeedback | Refused> {
  const body = await takeBody(request, bodyLimit, { deadlineMs: bodyDeadlineMs });
  return 'code' in body ? body : parseForm(body);
}

/** @param wait seconds until it may be sent again */
function refuseForm({ code, detail }: Refused, wait?: number): Response {
  receiptCounts.add('feedback', code);
  return refuse(code, 'page', detail, wait === undefined ? {} : { 'retry-after': String(wait) });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Renders the thanks without a script or a style sheet, as the error page is. */
function renderThanks({ digest, path }: PageFeedback): Response {
  const { headers, body } = renderPage(
    renderPlainPage({
      title: 'Thank you',
      head: pageIcon,
      content: `<p>What you wrote was sent to whoever runs this site, with the digest <code>${formatDigest(digest)}</code>.</p>
<p><a href="${escapeAttribute(path)}">Back to the page</a></p>`,
    }),
  );
  return new Response(body, { headers });
}

function answer(form: PageFeedback, result: KeptFeedback): Response {
  switch (result.status) {
    case 'kept':
      receiptCounts.add('feedback', 'kept');
      return renderThanks(form);
    case 'too-soon':
      return refuseForm({ code: 'too-many-requests', detail: 'about the same digest' }, result.wait);
    case 'no-room':
      return refuseForm({ code: 'not-stored', detail: result.detail });
  }
}

/** Keeps it for good. @param sender whoever cannot post twice: a network */
type KeepFeedback = (form: PageFeedback, sender: string) => Promise<KeptFeedback>;

/**
 * @param publicOrigin as for `checkOrigin`
 * @returns a function that answers a POST; `address` is the browser's, where it is known
 */
export function createFeedbackTaker(keep: KeepFeedback, publicOrigin?: string) {
  const takeToken = createBuckets(limits);
  return async function takeFeedback(request: Request, address: string | undefined): Promise<Response> {
    const refusal = checkHeaders(request, publicOrigin);
    if (refusal) return refuseForm(refusal);
    const wait = takeToken(address || undefined);
    if (wait > 0) return refuseForm({ code: 'too-many-requests', detail: 'too much feedback' }, wait);
    const form = await takeForm(request);
    if ('code' in form) return refuseForm(form);
    try {
      return answer(form, await keep(form, toNetwork(address ?? '')));
    } catch (error) {
      // Not rethrown: it would become an error page with the same form.
      writeLog('error', 'feedback-not-stored', { reason: describeError(error) });
      return refuseForm({ code: 'not-stored', detail: 'it could not be stored' });
    }
  };
}
