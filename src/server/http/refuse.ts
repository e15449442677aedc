import { faviconPath } from './addresses.ts';
import { errorCodes, type ErrorCode } from './error-codes.ts';
import { writeLog } from './log.ts';
import { renderPlainPage } from './plain-page.ts';
import { countRefusal } from './request-counts.ts';
import { guesses, hasOwnLine, refusals } from './repeated-lines.ts';
import { currentRequest } from './request-context.ts';
import { toNetwork } from './to-network.ts';

/** `page` for a form that the browser itself submitted: its user sees the answer. */
export type RefusalForm = 'json' | 'page';

/** An empty `href` is the address of the page itself. A written path would be a stranger's text. */
function renderRefusalPage(code: ErrorCode): string {
  // Without a session, the Back button shows the login page; reloading this page sends the form again.
  const wayOut =
    code === 'not-signed-in'
      ? '<a href="" target="_blank" rel="noopener">Sign in in a new tab</a>, then reload this page: your browser sends ' +
        'again what you typed.'
      : 'Your browser’s Back button brings back what you typed. <a href="">Open the page anew</a>';
  return renderPlainPage({
    title: 'Not sent',
    heading: 'That was not sent',
    isAlert: true,
    head: pageIcon,
    content: `<p>${errorCodes[code].message}</p>\n<p>${wayOut}</p>`,
  });
}

/** Of this server’s own pages: it is sent without the database. */
export const pageIcon = `<link rel="icon" href="${faviconPath}" type="image/svg+xml">\n`;

export type Rendered = { readonly headers: Record<string, string>; readonly body: string };

/** Makes the headers of a refusal: it is not stored, and not taken for another type. */
function toHeaders(contentType: string): Record<string, string> {
  return {
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-type': contentType,
  };
}

/** @param more what stands beside the error */
export function renderError(code: string, message: string, more: Readonly<Record<string, unknown>> = {}): Rendered {
  const body = `${JSON.stringify({ error: { code, message }, ...more })}\n`;
  return { headers: toHeaders('application/json; charset=utf-8'), body };
}

export function renderPage(html: string): Rendered {
  return { headers: toHeaders('text/html; charset=utf-8'), body: html };
}

/** A refusal's headers and body, for whoever refuses: here, and in src/server/adapter before a request is one. */
export function renderRefusal(code: ErrorCode, form: RefusalForm): Rendered {
  if (form === 'json') return renderError(code, errorCodes[code].message);
  return renderPage(renderRefusalPage(code));
}

/** Cuts a stranger's text to what a line in the log has room for; writeLog escapes it. */
export function cutForLog(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Answers 404 without a line in the log: a page that is not found has none either. */
export function answerNotFound(): Response {
  const { headers, body } = renderRefusal('not-found', 'json');
  return new Response(body, { status: errorCodes['not-found'].status, headers });
}

/** The rest of a body that is `too-slow` would be read as the next request. */
function closesConnection(code: ErrorCode): Record<string, string> {
  return code === 'too-slow' ? { connection: 'close' } : {};
}

/** Who tries keys does so often: its lines are counted (repeated-lines.ts). */
const guessed: ReadonlySet<ErrorCode> = new Set(['no-key', 'unknown-key', 'wrong-key', 'wrong-token']);

/**
 * The one answer to a request that is not carried out: a status, the reason, and one line in the log.
 * @param detail what was wrong, for the log alone; it may hold text from outside, so it is cut
 * @param more what stands beside the error in JSON
 */
export function refuse(
  code: ErrorCode,
  form: RefusalForm,
  detail: string,
  headers: HeadersInit = {},
  more?: Readonly<Record<string, unknown>>,
): Response {
  const { status } = errorCodes[code];
  const request = currentRequest();
  countRefusal(code, 'app');
  const allowed = guessed.has(code) ? guesses : refusals;
  if (hasOwnLine(code, toNetwork(request?.address ?? ''), allowed)) {
    writeLog('warn', 'request-refused', {
      code,
      status,
      method: request?.method,
      route: request && cutForLog(request.path),
      detail: cutForLog(detail),
    });
  }
  const { headers: own, body } = more ? renderError(code, errorCodes[code].message, more) : renderRefusal(code, form);
  const all = { ...Object.fromEntries(new Headers(headers)), ...closesConnection(code), ...own };
  return new Response(body, { status, headers: all });
}
