import 'server-only';

import type { Context, MiddlewareHandler, Next } from 'hono';

import { loginPath, logoutPath, mountPath } from '#src/server/http/addresses.ts';
import { currentReach, currentSessionCookies, formatClearedCookie, formatSessionCookie } from '#src/access/cookie.ts';
import { noteFailedLogin } from '#src/access/login-failure.ts';
import { loginProblems, type LoginFailure } from '#src/access/login-problems.ts';
import { toNextPath } from '#src/access/next-path.ts';
import { hashSecret } from '#src/access/secret.ts';
import { signIn, signOut, type Credential } from '#src/access/sign-in.ts';
import { createLoginLimits, type LoginLimits } from '#src/access/login-limits.ts';
import { answerBusy } from '#src/server/http/answer-busy.ts';
import { checkDeclaredLength, checkOrigin, type BodyLimit, type Refused } from '#src/server/http/check-request.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { writeLog } from '#src/server/http/log.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { createReadingPlaces, type ReadingPlaces } from '#src/server/http/reading-places.ts';
import { toNetwork } from '#src/server/http/to-network.ts';
import { refuse, renderError, type RefusalForm } from '#src/server/http/refuse.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import type { Shedding } from '#src/server/http/shedding.ts';

/**
 * `POST /login` and `POST /logout`. Signing in is not a server action: React's decoder reads an action's arguments, and it
 * must not read a stranger's bytes. Here `URLSearchParams` reads them, 4 KiB at most.
 *
 * A page's script asks for JSON. A form that the browser submits itself gets a 303, or the login page again with the
 * reason and the status that belongs to it.
 */
/** A password of 256 characters, each of four bytes that take three characters each when encoded, and the path to return to. */
const bodyLimit: BodyLimit = { bytes: 4096, code: 'form-too-large' };

/** A form sent in one go arrives at once; this leaves time for a slow network and a lost packet. */
const bodyDeadlineMs = 5_000;

/**
 * Slow forms of one network, and of all: each costs its connection and 4 KiB. A network may have more people who sign in at
 * the same moment than this, and all get in, since a form that is whole leaves at once.
 */
const readingLimits = { own: 8, all: 64 };

type LoginParts = {
  readonly limits: LoginLimits;
  readonly places: ReadingPlaces;
  readonly shedding: Pick<Shedding, 'enter' | 'enterLogin'>;
};

type Form = { readonly credential: Credential | undefined; readonly next: string };

function isUrlencoded(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '');
}

function checkHeaders(request: Request): Refused | undefined {
  const foreign = checkOrigin(request);
  if (foreign) return foreign;
  const type = request.headers.get('content-type');
  if (!isUrlencoded(type)) return { code: 'unsupported-type', detail: type ?? 'no Content-Type' };
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null) return { code: 'unsupported-type', detail: `Content-Encoding: ${encoding}` };
  return checkDeclaredLength(request, bodyLimit);
}

/** A link may be pasted whole: its code is what stands behind the `#`. */
function readCode(text: string): string {
  return text.slice(text.lastIndexOf('#') + 1).trim();
}

function parseForm(body: Uint8Array): Form | Refused {
  const fields = new URLSearchParams(new TextDecoder().decode(body));
  for (const name of ['code', 'password', 'next']) {
    if (fields.getAll(name).length > 1) return { code: 'malformed-request', detail: `the field ${name} twice` };
  }
  const code = readCode(fields.get('code') ?? '');
  const password = fields.get('password') ?? '';
  const next = toNextPath(fields.get('next'));
  if (code) return { credential: { kind: 'login-link', secret: code }, next };
  if (password) return { credential: { kind: 'password', password }, next };
  return { credential: undefined, next };
}

async function takeFormBody(request: Request, places: ReadingPlaces): Promise<Uint8Array | Refused> {
  const givenUp = new AbortController();
  const place = places.enter(toNetwork(readAddress()), () => givenUp.abort());
  try {
    return await takeBody(request, bodyLimit, { deadlineMs: bodyDeadlineMs, givenUp: givenUp.signal });
  } finally {
    place?.leave();
  }
}

async function readForm(request: Request, places: ReadingPlaces): Promise<Form | Refused> {
  const refused = checkHeaders(request);
  if (refused) return refused;
  const body = await takeFormBody(request, places);
  return 'code' in body ? body : parseForm(body);
}

function wantsJson(request: Request): boolean {
  return request.headers.get('accept') === 'application/json';
}

function formOf(request: Request): RefusalForm {
  return wantsJson(request) ? 'json' : 'page';
}

/** Reads the address from the context alone, which knows the trusted proxies. */
function readAddress(): string {
  return currentRequest()?.address ?? '';
}

/**
 * The page that says why counts as a page, like the one that GET renders: a stranger may send empty forms without end and
 * leave every answer unread, and neither a place for logins nor a limit of attempts stands in the way of that.
 * @returns the answer when there is no place
 */
function takePlaceOfPage(c: Context, { enter }: Pick<Shedding, 'enter'>): Response | undefined {
  const outgoing = findOutgoing(c.env);
  const entry = enter('document', 'GET', loginPath, readAddress());
  if (entry === 'always') return undefined;
  if (entry === 'load' || entry === 'limit') return answerBusy('document', entry);
  if (outgoing && !outgoing.closed) entry.leaveWithAnswer(outgoing);
  else entry.leave();
  return undefined;
}

/** The login page again, which says what was wrong, with the status that belongs to it. */
async function renderFailure(c: Context, next: Next, failure: LoginFailure, to: string): Promise<void> {
  noteFailedLogin({ ...failure, next: to });
  const { url, headers, signal } = c.req.raw;
  const forPage = new Headers(headers);
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) forPage.delete(name);
  c.req.raw = new Request(new URL(loginPath, url), { headers: forPage, signal });
  await next();
  const page = c.res;
  c.res = new Response(page.body, { status: loginProblems[failure.problem].status, headers: page.headers });
  if (failure.wait > 0) c.res.headers.set('retry-after', String(failure.wait));
}

function answerScript({ problem, wait }: LoginFailure): Response {
  const { status, message } = loginProblems[problem];
  const { headers, body } = renderError(problem, message);
  return new Response(body, { status, headers: wait > 0 ? { ...headers, 'retry-after': String(wait) } : headers });
}

function answerSuccess(request: Request, secret: string, to: string): Response {
  const headers = {
    'set-cookie': formatSessionCookie(currentReach(), secret),
    'cache-control': 'private, no-store',
  };
  if (wantsJson(request)) return Response.json({ next: to }, { headers });
  return new Response(null, { status: 303, headers: { ...headers, location: to } });
}

async function logIn(
  request: Request,
  limits: LoginLimits,
  { credential, next }: Form,
): Promise<Response | LoginFailure> {
  if (!credential) return { problem: 'nothing-given', wait: 0 };
  const address = readAddress();
  const wait = await limits[credential.kind](address || undefined);
  if (wait > 0) {
    writeLog('warn', 'sign-in-refused', { how: credential.kind, problem: 'too-many-attempts', address, wait });
    return { problem: 'too-many-attempts', wait };
  }
  const signedIn = await signIn(credential, {
    userAgent: request.headers.get('user-agent') ?? '',
    address,
    cookies: currentSessionCookies(request.headers.get('cookie')),
  });
  if ('problem' in signedIn) {
    writeLog('warn', 'sign-in-refused', { how: credential.kind, problem: signedIn.problem, address });
    return { problem: signedIn.problem, wait: 0 };
  }
  const session = hashSecret(signedIn.secret).slice(0, 12);
  writeLog('info', 'signed-in', { how: credential.kind, session, address });
  return answerSuccess(request, signedIn.secret, next);
}

/** The place among those who sign in is held while a credential is checked: not while a form or an answer is on its way. */
async function takeLogin(c: Context, next: Next, { limits, places, shedding }: LoginParts): Promise<Response | void> {
  const request = c.req.raw;
  const form = await readForm(request, places);
  if ('code' in form) return refuse(form.code, formOf(request), form.detail);
  const leave = shedding.enterLogin(readAddress());
  if (!leave) return answerBusy('other', 'limit');
  let result: Response | LoginFailure;
  try {
    result = await logIn(request, limits, form);
  } finally {
    leave();
  }
  if (result instanceof Response) return result;
  if (wantsJson(request)) return answerScript(result);
  return takePlaceOfPage(c, shedding) ?? renderFailure(c, next, result, form.next);
}

/**
 * The browser's cache and storage are cleared with the session. Cookies are not: other hosts of the domain share them. Mounted in
 * another app, nothing is: cache and storage belong to the origin, and with it to the app.
 */
async function logOut(request: Request): Promise<Response> {
  const foreign = checkOrigin(request);
  if (foreign) return refuse(foreign.code, 'page', foreign.detail);
  const cookies = currentSessionCookies(request.headers.get('cookie'));
  const ended = await signOut(cookies);
  writeLog('info', 'signed-out', { ended, address: readAddress() });
  return new Response(null, {
    status: 303,
    headers: {
      location: loginPath,
      'set-cookie': formatClearedCookie(currentReach()),
      ...(mountPath === '' ? { 'clear-site-data': '"cache", "storage"' } : {}),
      'cache-control': 'private, no-store',
    },
  });
}

/** Stands above `access`: both paths are for strangers, too. */
export function login(shedding: LoginParts['shedding']): MiddlewareHandler {
  const parts = { limits: createLoginLimits(), places: createReadingPlaces(readingLimits), shedding };
  return function loginMiddleware(c, next) {
    const request = c.req.raw;
    const { pathname } = splitUrl(request.url);
    if (pathname !== loginPath && pathname !== logoutPath) return next();
    if (request.method === 'POST') return pathname === loginPath ? takeLogin(c, next, parts) : logOut(request);
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (pathname === loginPath && isReading) return next();
    const allow = pathname === loginPath ? 'GET, HEAD, POST' : 'POST';
    return Promise.resolve(refuse('wrong-method', 'json', `${request.method} of ${pathname}`, { allow }));
  };
}
