import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/server';

import { writeLog } from './log.ts';
import { currentRequest } from './request-context.ts';
import { refusals, type RefusalCode } from './refusals.ts';

/** `page` for a form that the browser itself submitted: whatever comes back is what its user sees next. */
export type RefusalForm = 'json' | 'page';

/** The empty link is the address of the page itself, and cannot be bent by a hostile path as a written one could. */
function renderRefusalPage(code: string, message: string): string {
  // To a stranger going back shows the login page, and reloading this one sends the form again: it is what a POST left.
  const wayOut =
    code === 'not-signed-in'
      ? '<a href="" target="_blank" rel="noopener">Sign in in a new tab</a>, then reload this page: your browser sends ' +
        'again what you typed.'
      : 'Your browser’s Back button brings back what you typed. <a href="">Open the page anew</a>';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>Not sent</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:12vh auto 0;padding:1.5rem;color-scheme:light dark}</style>
</head>
<body>
<main role="alert">
<h1>That was not sent</h1>
<p>${message}</p>
<p>${wayOut}</p>
</main>
</body>
</html>
`;
}

/** A refusal's headers and body, for whoever refuses: here, and in src/host before a request is one. */
export function renderRefusal(
  code: string,
  message: string,
  form: RefusalForm,
): { readonly headers: Record<string, string>; readonly body: string } {
  const isPage = form === 'page';
  return {
    headers: {
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    },
    body: isPage ? renderRefusalPage(code, message) : `${JSON.stringify({ error: { code, message } })}\n`,
  };
}

/**
 * The one answer to a request that is not carried out: a status, the reason, and one line in the log.
 * @param detail what was wrong, for the log alone; it may hold text from outside, so it is cut
 */
export function refuse(code: RefusalCode, form: RefusalForm, detail: string, headers: HeadersInit = {}): Response {
  const { status, message } = refusals[code];
  const request = currentRequest();
  writeLog('warn', 'request-refused', {
    code,
    status,
    method: request?.method,
    route: request?.path.slice(0, 200),
    detail: detail.slice(0, 200),
  });
  const { headers: own, body } = renderRefusal(code, message, form);
  return new Response(body, { status, headers: { ...Object.fromEntries(new Headers(headers)), ...own } });
}

/** For what Waku throws before it hands a request over: a path it cannot decode, arguments it cannot read. */
export function refuseUnreadable(error: unknown): Response {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : 'unreadable';
  switch (getErrorInfo(error)?.status) {
    case 403:
      return refuse('wrong-origin', 'json', detail);
    case 405:
      return refuse('wrong-method', 'json', detail, { allow: 'GET, HEAD, POST' });
    default:
      return refuse('malformed-request', 'json', detail);
  }
}
