import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

import type { Breadcrumb } from '#report/breadcrumb.ts';

import type { Visitor } from './visitor.ts';

/**
 * What the runtime knows of the request being served. The server is built as two module graphs, `rsc` and `ssr`, and
 * each has its own copy of this module; the storage therefore hangs on `globalThis`, or an error in a client component
 * rendered on the server would not know its request.
 */
export type RequestKind = 'document' | 'navigation' | 'prefetch' | 'action' | 'slice' | 'other';

/**
 * Where an error happened. `document` is what Waku throws before a stream exists (a static page's error in dev),
 * `process` what nobody caught.
 */
export type ErrorPhase = 'rsc' | 'ssr' | 'action' | 'document' | 'page-data' | 'process';

/** A server action that this request calls, and its arguments as they came: bounded, counted, not decoded. */
type CalledAction = {
  /** `<file>#<export>`, the file by the bundler's key. */
  readonly id: string;
  readonly contentType: string;
  readonly body: Uint8Array;
};

/** A page that was rendered at build time. */
export type PrerenderedFile = {
  readonly body: Uint8Array;
  /** Names the content, with its quotes. */
  readonly etag: string;
};

/** What is read of a request's headers, by their names in small letters: a `Headers`, or Node's own without making one. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>;

/** A look into Node's own takes nothing; into a `Headers`, most of a microsecond. */
export function toRequestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  return {
    get(name) {
      const value = headers[name];
      return value === undefined ? null : String(value);
    },
    has: (name) => headers[name] !== undefined,
  };
}

/**
 * On whose behalf a request runs: an operator's session, or anybody on this machine when the login is off; or somebody who may
 * read and change nothing.
 */
export type OperatorAccess =
  | {
      readonly kind: 'session';
      /** Hash of the cookie's secret: the session's name in the database. */ readonly id: string;
    }
  | { readonly kind: 'login-off' }
  | ReaderAccess;

/** A request with a token of the API, or a command that reads. Only queries that begin with `requireReader()` answer it. */
export type ReaderAccess = {
  readonly kind: 'reader';
  /** The ids of the apps of which it may read; undefined: all of them. */
  readonly apps: readonly string[] | undefined;
};

export type RequestContext = {
  /** 32 hex characters; in the response header `x-request-id` and in every log line. */
  readonly id: string;
  readonly kind: RequestKind;
  readonly method: string;
  /** The page's path, whichever transport asked for it: `/RSC/R/lab.txt` and `/lab` are both `/lab`. No query. */
  readonly path: string;
  /** W3C trace id, 32 hex characters, shared by a document, its navigations and its actions. */
  readonly traceId: string;
  /** W3C: `<trace>-<span>` of whoever asked. Null where nobody says it. */
  readonly parent?: string | null;
  readonly startedAt: number;
  /** Who is at the other end: the connection's address, or what trusted proxies say of it. Empty where there is none. */
  readonly address: string;
  /** Who came through an app, beside which this server runs. */
  readonly visitor?: Visitor | undefined;
  /** For the scripts of this response: its content security policy names it. Empty where no policy is sent (dev). */
  readonly nonce: string;
  /** Set once, by the middleware that decides access, before anything is rendered or decoded. */
  operator: OperatorAccess | undefined;
  /** Set before its arguments are decoded. */
  action?: CalledAction;
  /** Set when the answer is a prerendered page or its payload. */
  prerendered?: PrerenderedFile;
  /** Set when the answer is another file of the build. */
  isPlainFile?: boolean;
  /** Set inside an app without an interface, when a recorder elsewhere takes what its visitors write on error pages. */
  takesFeedback?: boolean;
  /** Aborted when the client goes away before the response is complete. */
  readonly signal: AbortSignal;
  /** Digests minted while serving this request, in order. */
  readonly digests: string[];
  /** What happened so far, oldest first; reporting/breadcrumbs.ts bounds it and makes text of it. */
  readonly breadcrumbs: RequestFact[];
  /** The header `baggage` as it came, bounded by its reader. Never sent on as it is. */
  readonly baggage?: string | undefined;
};

/** The end of a server action: `redirected` and `not-found` are what it asked for, `thrown` is a crash. */
export type ActionOutcome = 'returned' | 'redirected' | 'not-found' | 'thrown';

/**
 * What happened while a request was served, as it was noted. Nearly every request succeeds and nobody ever reads its
 * facts, so they are no texts: those are made when an error is reported.
 */
export type RequestFact = { /** Milliseconds since 1970. */ readonly time: number } & (
  | { readonly type: 'render-began' }
  | { readonly type: 'first-byte' }
  /** `location` as it was sent, with the values of its query: only the text leaves them out. */
  | { readonly type: 'redirect'; readonly status: number; readonly location: string }
  | { readonly type: 'action'; readonly id: string; readonly ms: number; readonly outcome: ActionOutcome }
  | {
      readonly type: 'page-data';
      /** As it was asked, with the values of its query: only the text leaves them out. */
      readonly url: string;
      /** 1 for the first one. */
      readonly attempt: number;
      /** The answer's status, or what failed where none came. */
      readonly result: number | string;
      readonly ms: number;
      /** Until the next try; undefined after the last one. */
      readonly waitMs: number | undefined;
    }
  | ({ readonly type: 'own' } & Omit<Breadcrumb, 'time'>)
);

declare global {
  var __FLIGHT_REQUEST_CONTEXT__: AsyncLocalStorage<RequestContext> | undefined;
}

const storage = (globalThis.__FLIGHT_REQUEST_CONTEXT__ ??= new AsyncLocalStorage<RequestContext>());

/** The request being served, or undefined at build time and in background work. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

export function runInRequest<T>(context: RequestContext, run: () => T): T {
  return storage.run(context, run);
}
