import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { faviconPath } from '#src/http/addresses.ts';
import { checkDeclaredLength, checkOrigin, type BodyLimit, type Refused } from '#src/http/check-request.ts';
import { readContact } from '#src/http/contact.ts';
import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { takeBody } from '#src/http/read-body.ts';
import { refuse, renderPage } from '#src/http/refuse.ts';
import { currentRequest } from '#src/http/request-context.ts';
import { toNetwork } from '#src/http/to-network.ts';
import { createBuckets, type TakeToken } from '#src/http/token-bucket.ts';
import { findOperator } from '#src/operator/find-operator.ts';
import { toNextPath } from '#src/operator/next-path.ts';
import { keepPageFeedback, type PageFeedback } from '#src/reports/feedback/keep-page-feedback.ts';
import { formatDigest, isDigest } from '#src/runtime/errors/digest.ts';

/**
 * Where the form of the error page goes: what a visitor was doing when the error happened. Anyone can post here, so everything
 * is bounded before it is read, in this order: method, origin, type, encoding, declared length, rate, counted length. It is a
 * form that the browser submits itself, without JavaScript too, so its answers are pages.
 *
 * The answer is the same whether the digest is known or not: otherwise strangers could try out which digests exist.
 *
 * GET answers what a page that was made for everybody cannot know: whom to give a digest to, and whether this browser is the
 * operator's.
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
};

function checkHeaders(request: Request): Refused | undefined {
  const foreign = checkOrigin(request);
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
  return refuse(code, 'page', detail, wait === undefined ? {} : { 'retry-after': String(wait) });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Without a script or a style sheet, as the error page is. */
function renderThanks({ digest, path }: PageFeedback): Response {
  const { headers, body } = renderPage(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="${faviconPath}" type="image/svg+xml">
<title>Thank you</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto 0;padding:1.5rem;color-scheme:light dark}</style>
</head>
<body>
<main>
<h1>Thank you</h1>
<p>What you wrote was sent to whoever runs this site, with the digest <code>${formatDigest(digest)}</code>.</p>
<p><a href="${escapeAttribute(path)}">Back to the page</a></p>
</main>
</body>
</html>
`);
  return new Response(body, { headers });
}

async function keep(form: PageFeedback): Promise<Response> {
  const result = await keepPageFeedback(form, toNetwork(currentRequest()?.address ?? ''));
  switch (result.status) {
    case 'kept':
      return renderThanks(form);
    case 'too-soon':
      return refuseForm({ code: 'too-many-requests', detail: 'about the same digest' }, result.wait);
    case 'no-room':
      return refuseForm({ code: 'not-stored', detail: result.detail });
  }
}

async function take({ req }: Context, takeToken: TakeToken): Promise<Response> {
  const refusal = checkHeaders(req.raw);
  if (refusal) return refuseForm(refusal);
  const wait = takeToken(currentRequest()?.address || undefined);
  if (wait > 0) return refuseForm({ code: 'too-many-requests', detail: 'too much feedback' }, wait);
  const form = await takeForm(req.raw);
  if ('code' in form) return refuseForm(form);
  try {
    return await keep(form);
  } catch (error) {
    // Not rethrown: it would become an error page with the same form.
    writeLog('error', 'feedback-not-stored', { reason: describeError(error) });
    return refuseForm({ code: 'not-stored', detail: 'the database failed' });
  }
}

async function isOperator({ req }: Context): Promise<boolean> {
  try {
    return (await findOperator(req.header('cookie') ?? null)) !== undefined;
  } catch (error) {
    // Not rethrown: each error page that asks would make another error.
    writeLog('error', 'session-not-read', { reason: describeError(error) });
    return false;
  }
}

async function tell(c: Context): Promise<Response> {
  const answer = { isOperator: await isOperator(c), contact: readContact() };
  return c.json(answer, 200, { 'cache-control': 'private, no-store', vary: 'Cookie' });
}

/** Stands above `access`: the visitor of an error page is a stranger. Lets other paths pass. */
export function feedback(path: string): MiddlewareHandler {
  const takeToken = createBuckets(limits);
  return function feedbackMiddleware(c, next) {
    if (c.req.path !== path) return next();
    switch (c.req.method) {
      case 'POST':
        return take(c, takeToken);
      case 'GET':
        return tell(c);
      default:
        return Promise.resolve(refuse('wrong-method', 'json', `${c.req.method} of feedback`, { allow: 'GET, POST' }));
    }
  };
}
