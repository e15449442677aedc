import 'server-only';

import { markBodyless } from '#src/server/adapter/mark-bodyless.ts';
import { mountPath } from '#src/server/http/addresses.ts';
import { createContext } from '#src/server/http/create-request-context.ts';
import { findIncoming } from '#src/server/http/find-incoming.ts';
import { formatFlightTiming } from '#src/server/http/flight-headers.ts';
import {
  toRequestHeaders,
  runInRequest,
  type RequestContext,
  type RequestHeaders,
} from '#src/server/http/request-context.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { isTraced, nameAnswer } from '#src/runtime/middleware/name-answer.ts';
import { toOutgoingHeaders } from '#src/server/adapter/to-outgoing-headers.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { findBody, sendBody } from '#src/server/http/body.ts';

import { listPrerendered, type FindPrerendered } from './prerendered-files.ts';
import { createReceiver, type Receivers } from './receive-from-browsers.ts';
import { currentInside } from './start-inside.ts';

/**
 * A page that our renderer has made goes to Node's response without a web stream, which costs as much as rendering it. All of the
 * app has seen it as an ordinary `Response` by then, and its status and headers are what the app left. A body that something
 * of the app has read or replaced (a middleware that compresses) goes the way of every other answer.
 */

/** By this header @hono/node-server, which Waku's adapter listens with, knows that there is nothing left to send. */
const alreadySent = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/** @returns what the app's server has to send */
async function sendRendered(response: Response, context: RequestContext, env: unknown): Promise<Response> {
  // To ask any other response for its body would make a web stream of it.
  const isRendered = context.breadcrumbs.some(({ type }) => type === 'render-began');
  if (!isRendered || context.method === 'HEAD') return response;
  const [body, outgoing] = [findBody(response), findOutgoing(env)];
  if (!body || !outgoing || outgoing.headersSent) return response;
  const held = body.settle?.();
  if (held) await held;
  sendBody(body, outgoing, response.status, toOutgoingHeaders(response.headers));
  return alreadySent;
}

/**
 * Outermost around an app's `fetch`: each request gets its id, kind and trace, and is recorded with its answer. Nothing is refused
 * and nothing is changed but headers of ours on the answer. Below the mount path nothing is recorded: what browsers of the app
 * send there is taken here, and everything else is `fetch`'s, which asks the interface.
 *
 * A path is the one that the browser shows, with the app's base path: so it is the same in the address bar, in a flight, in an
 * error, and in what other pages say they come from.
 */
export type AppFetch = (request: Request, ...rest: readonly unknown[]) => Response | Promise<Response>;

export type AppFacts = {
  /** As Waku has it: `/` or `/shop/`. */
  readonly basePath: string;
  /** Starts what records, once. It never rejects, and no request is answered before it has resolved. */
  readonly open: () => Promise<unknown>;
  /** What is taken of what browsers of the app send. */
  readonly receivers: Receivers;
  /** Of a build: where its prerendered pages are, which Waku's adapter sends by itself. */
  readonly publicFolder?: string | undefined;
};

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** A page tells how fast it was of the flight that brought it (packages/report/src/browser/vitals.ts). */
function nameFlight(context: RequestContext, asked: RequestHeaders, response: Response): void {
  nameAnswer(context, asked, response);
  if (isTraced(context, asked)) response.headers.append('server-timing', formatFlightTiming(context.id));
}

/** An app may answer with what another server answered: such headers cannot be changed. */
function nameAnyAnswer(context: RequestContext, asked: RequestHeaders, response: Response): Response {
  try {
    nameFlight(context, asked, response);
    return response;
  } catch {
    const copy = new Response(response.body, response);
    nameFlight(context, asked, copy);
    return copy;
  }
}

function isFile(status: number): boolean {
  return status === 200 || status === 304;
}

/** @param pathname as it came */
function isBelowMount(pathname: string): boolean {
  return mountPath !== '' && (pathname === mountPath || pathname.startsWith(`${mountPath}/`));
}

function isDocumentFile({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}

export function recordRequests(fetch: AppFetch, { basePath, open, receivers, publicFolder }: AppFacts): AppFetch {
  const base = basePath.replace(/\/$/, '');
  const receive = createReceiver(receivers);
  const findPrerendered: FindPrerendered = publicFolder ? listPrerendered(publicFolder, base) : () => undefined;

  async function record(request: Request, pathname: string, rest: readonly unknown[]): Promise<Response> {
    const incoming = findIncoming(rest[0]);
    const headers = incoming ? toRequestHeaders(incoming.headers) : request.headers;
    const { method, signal, url } = request;
    markBodyless(request);
    const path = decodePath(pathname);
    const context = createContext({ method, path, base, headers, address: '', signal }, false);
    if (!currentInside()) await open();
    const inside = currentInside();
    if (inside?.isElsewhere) context.takesFeedback = true;
    const recording = inside?.recording;
    const opened = recording?.open(context, () => ({ url, headers }));
    const response = await runInRequest(context, () => fetch(request, ...rest));
    if (opened && isFile(response.status) && recording?.hasFlight(opened) === false) {
      const file = await findPrerendered(path);
      if (file) context.prerendered = file;
    }
    if (context.kind === 'document' && !isDocumentFile(response)) context.isPlainFile = true;
    const named = nameAnyAnswer(context, headers, response);
    if (opened) recording?.answer(opened, { status: named.status });
    return sendRendered(named, context, rest[0]);
  }

  return async function recordRequest(request, ...rest) {
    const { pathname } = splitUrl(request.url);
    const received = receive(request, pathname, findIncoming(rest[0]), () => fetch(request, ...rest));
    if (received) return received;
    return isBelowMount(pathname) ? fetch(request, ...rest) : record(request, pathname, rest);
  };
}
