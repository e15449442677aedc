import 'server-only';

import { checkOrigin, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { receive, type Refusal, type Stranger } from '#src/server/http/receive.ts';
import { enterStranger } from '#src/server/http/stranger-places.ts';
import { renderPlainPage } from '#src/server/http/plain-page.ts';
import { refuse, renderPage, pageIcon } from '#src/server/http/refuse.ts';
import { toNetwork } from '#src/server/http/to-network.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';
import { toNextPath } from '#src/access/next-path.ts';
import type { KeptFeedback, PageFeedback } from '#src/faults/feedback/keep-page-feedback.ts';
import { formatDigest, isDigest } from '#report/digest.ts';

/**
 * Takes the form of the error page: what a visitor was doing when the error happened. Anyone can post it. It is a form that the
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

function refuseForm({ code, detail, headers }: Refusal): Response {
  receiptCounts.add('feedback', code);
  return refuse(code, 'page', detail, headers);
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
      return refuseForm({
        code: 'too-many-requests',
        detail: 'about the same digest',
        headers: { 'retry-after': String(result.wait) },
      });
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
  return receive<Stranger>({
    what: 'feedback',
    types: ['application/x-www-form-urlencoded'],
    limit: bodyLimit,
    deadlineMs: bodyDeadlineMs,
    authorise: (request, address) => checkOrigin(request, publicOrigin) ?? { address },
    wait: ({ address }) => takeToken(address || undefined),
    enter: enterStranger,
    async keep(body, { address }) {
      const form = parseForm(body);
      return 'code' in form ? refuseForm(form) : answer(form, await keep(form, toNetwork(address ?? '')));
    },
    refuse: refuseForm,
  });
}
