import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { loginPath, logoutPath } from '#src/http/addresses.ts';
import {
  formatClearedCookie,
  formatSessionCookie,
  readSessionCookies,
  sessionCookieName,
} from '#src/operator/cookie.ts';
import { noteFailedLogin } from '#src/operator/login-failure.ts';
import { loginProblems, type LoginFailure } from '#src/operator/login-problems.ts';
import { toNextPath } from '#src/operator/next-path.ts';
import { hashSecret } from '#src/operator/secret.ts';
import { signIn, signOut, type Credential } from '#src/operator/sign-in.ts';
import { checkOrigin } from '#src/http/check-request.ts';
import { refuse, type RefusalForm } from '#src/http/refuse.ts';
import type { RefusalCode } from '#src/http/refusals.ts';
import { writeLog } from '#src/http/log.ts';
import { currentRequest } from '#src/http/request-context.ts';
import { splitUrl } from '#src/http/request-url.ts';
import { serverSettings } from '#src/http/server-settings.ts';

import { createLoginLimits, type LoginLimits } from '#src/operator/login-limits.ts';
import { closeConnection, readBody, type BodyOutcome } from '#src/http/read-body.ts';
import { createReadingRoom, type ReadingRoom } from '#src/http/reading-room.ts';
import { answerBusy, type Shedding } from './shed.ts';

/**
 * `POST /login` and `POST /logout`. Signing in is not a server action: an action's arguments pass React's decoder, and
 * what a stranger sends must not. Here a stranger's bytes meet `URLSearchParams`, and 4 KiB of them at most.
 *
 * A page's script asks for JSON. A form that the browser submits itself gets a 303, or the login page again with the
 * reason and the status that belongs to it.
 */
/** A password of 256 characters, each of four bytes that take three characters each when encoded, and the path to return to. */
const bodyBytesLimit = 4096;

/** A form that is sent in one go is there at once; a second and a lost packet are no reason to fail. */
const bodyDeadlineMs = 5_000;

/**
 * Slow forms of one network, and of all: each costs its connection and 4 KiB. A network may have more people who sign in at
 * the same moment than this, and all get in, since a form that is whole leaves at once.
 */
const readingLimits = { own: 8, all: 64 };

type LoginParts = {
  readonly limits: LoginLimits;
  readonly room: ReadingRoom;
  readonly enter: Shedding['enterLogin'];
};

type Form = { readonly credential: Credential | undefined; readonly next: string };

type Unreadable = { readonly code: RefusalCode; readonly detail: string; readonly headers?: HeadersInit };

function isUrlencoded(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '');
}

function checkHeaders(request: Request): Unreadable | undefined {
  const foreign = checkOrigin(request);
  if (foreign) return foreign;
  const type = request.headers.get('content-type');
  if (!isUrlencoded(type)) return { code: 'unsupported-type', detail: type ?? 'no Content-Type' };
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null) return { code: 'unsupported-type', detail: `Content-Encoding: ${encoding}` };
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > bodyBytesLimit) {
    return { code: 'form-too-large', detail: `Content-Length: ${declared}` };
  }
  return undefined;
}

/** A link may be pasted whole: its code is what stands behind the `#`. */
function readCode(text: string): string {
  return text.slice(text.lastIndexOf('#') + 1).trim();
}

function parseForm(body: Uint8Array): Form | Unreadable {
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

async function readInRoom(request: Request, room: ReadingRoom): Promise<BodyOutcome> {
  const givenUp = new AbortController();
  const leave = room.enter(readAddress(), () => givenUp.abort());
  try {
    return await readBody(request, bodyBytesLimit, { deadlineMs: bodyDeadlineMs, givenUp: givenUp.signal });
  } finally {
    leave();
  }
}

async function readForm(request: Request, room: ReadingRoom): Promise<Form | Unreadable> {
  const refused = checkHeaders(request);
  if (refused) return refused;
  const read = await readInRoom(request, room);
  switch (read.outcome) {
    case 'complete':
      return parseForm(read.body);
    case 'too-large':
      return { code: 'form-too-large', detail: `more than ${bodyBytesLimit} bytes, undeclared` };
    case 'too-slow':
      return { code: 'too-slow', detail: 'the body did not arrive in time', headers: closeConnection };
    case 'broken':
      return { code: 'malformed-request', detail: read.reason };
  }
}

function wantsJson(request: Request): boolean {
  return request.headers.get('accept') === 'application/json';
}

function formOf(request: Request): RefusalForm {
  return wantsJson(request) ? 'json' : 'page';
}

/** An address is asked of the context alone, which knows what proxies may be believed. */
function readAddress(): string {
  return currentRequest()?.address ?? '';
}

async function answerFailure(c: Context, next: () => Promise<void>, failure: LoginFailure, to: string): Promise<void> {
  const { problem, wait } = failure;
  const { status, message } = loginProblems[problem];
  const retry: Record<string, string> = wait > 0 ? { 'retry-after': String(wait) } : {};
  if (wantsJson(c.req.raw)) {
    const body = { error: { code: problem, message } };
    c.res = c.json(body, status, { 'cache-control': 'private, no-store', ...retry });
    return;
  }
  noteFailedLogin({ ...failure, next: to });
  const { url, headers, signal } = c.req.raw;
  const forPage = new Headers(headers);
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) forPage.delete(name);
  c.req.raw = new Request(new URL(loginPath, url), { headers: forPage, signal });
  await next();
  const page = c.res;
  c.res = new Response(page.body, { status, headers: page.headers });
  for (const [name, value] of Object.entries(retry)) c.res.headers.set(name, value);
}

async function logIn(c: Context, next: () => Promise<void>, limits: LoginLimits, form: Form): Promise<Response | void> {
  const request = c.req.raw;
  const { credential, next: to } = form;
  if (!credential) return answerFailure(c, next, { problem: 'nothing-given', wait: 0 }, to);
  const address = readAddress();
  const wait = limits[credential.kind](address || undefined);
  if (wait > 0) {
    writeLog('warn', 'sign-in-refused', { how: credential.kind, problem: 'too-many-attempts', address, wait });
    return answerFailure(c, next, { problem: 'too-many-attempts', wait }, to);
  }
  const settings = serverSettings();
  const signedIn = await signIn(credential, {
    userAgent: request.headers.get('user-agent') ?? '',
    address,
    cookies: readSessionCookies(request.headers.get('cookie'), sessionCookieName(settings)),
  });
  if ('problem' in signedIn) {
    writeLog('warn', 'sign-in-refused', { how: credential.kind, problem: signedIn.problem, address });
    return answerFailure(c, next, { problem: signedIn.problem, wait: 0 }, to);
  }
  const session = hashSecret(signedIn.secret).slice(0, 12);
  writeLog('info', 'signed-in', { how: credential.kind, session, address });
  const headers = {
    'set-cookie': formatSessionCookie(settings, signedIn.secret),
    'cache-control': 'private, no-store',
  };
  if (wantsJson(request)) return c.json({ next: to }, 200, headers);
  return new Response(null, { status: 303, headers: { ...headers, location: to } });
}

/** The place among those who sign in is taken when there is nothing more to wait for. */
async function takeLogin(c: Context, next: () => Promise<void>, parts: LoginParts): Promise<Response | void> {
  const request = c.req.raw;
  const form = await readForm(request, parts.room);
  if ('code' in form) return refuse(form.code, formOf(request), form.detail, form.headers);
  const leave = parts.enter(readAddress());
  if (!leave) return answerBusy('other');
  try {
    return await logIn(c, next, parts.limits, form);
  } finally {
    leave();
  }
}

/** Whatever the browser kept of the pages goes with the session. Its cookies do not: other hosts of the domain share them. */
async function logOut(request: Request): Promise<Response> {
  const foreign = checkOrigin(request);
  if (foreign) return refuse(foreign.code, 'page', foreign.detail);
  const settings = serverSettings();
  const cookies = readSessionCookies(request.headers.get('cookie'), sessionCookieName(settings));
  const ended = await signOut(cookies);
  writeLog('info', 'signed-out', { ended, address: readAddress() });
  return new Response(null, {
    status: 303,
    headers: {
      location: loginPath,
      'set-cookie': formatClearedCookie(settings),
      'clear-site-data': '"cache", "storage"',
      'cache-control': 'private, no-store',
    },
  });
}

/** Stands above `access`: both are for whoever has no session, too. */
export function login({ enterLogin }: Pick<Shedding, 'enterLogin'>): MiddlewareHandler {
  const parts = { limits: createLoginLimits(), room: createReadingRoom(readingLimits), enter: enterLogin };
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
