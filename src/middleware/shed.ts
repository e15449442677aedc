import 'server-only';

import { ServerResponse } from 'node:http';

import type { MiddlewareHandler } from 'hono';

import { assetPrefix } from '#src/http/waku-addresses.ts';
import { faviconPath, healthPath, loginPath, readyPath } from '#src/http/addresses.ts';
import { refusals } from '#src/http/refusals.ts';
import { renderRefusal } from '#src/http/refuse.ts';
import { currentRequest, type RequestKind } from '#src/http/request-context.ts';

import { createGate, type Gate, type GateOptions } from '#src/http/gate.ts';
import { loadLevels, type LoadLevel } from '#src/http/load-level.ts';

/**
 * Turns work away while there is too much of it: 503 with `Retry-After`, before anything of it is read or rendered. Two
 * rules. Of each class only so many are answered at once, whatever the load: that bounds memory. And when the process is
 * overloaded (load-level.ts), classes are turned away in the order of what can best be missed. Health and the hashed
 * assets always pass: they cost next to nothing, and without them nobody sees what is wrong.
 */
type RequestClass = 'report' | 'other' | 'action' | 'page' | 'login';

/**
 * What each class holds in memory at most: a report its megabyte packed and unpacked, an action its megabyte and what is
 * decoded from it, a page a few hundred KiB until it is whole. A login is a class of its own, so that nothing else can
 * keep the operator out, and takes its place when its form has been read: see login.ts. Two passwords are hashed at a
 * time, some 100 ms each, so the last of sixteen waits for a second.
 */
const gateOptions = {
  // Anybody may send these two, as slowly as the deadlines allow.
  report: { limit: 16, sharedByNetwork: true },
  login: { limit: 16, sharedByNetwork: true },
  other: { limit: 64 },
  action: { limit: 16 },
  page: { limit: 256 },
} as const satisfies Record<RequestClass, GateOptions>;

/** The lowest level at which a class is turned away. */
const shedAt = {
  report: 'no-reports',
  other: 'no-others',
  action: 'no-pages',
  page: 'no-pages',
  login: 'no-pages',
} as const satisfies Record<RequestClass, LoadLevel>;

/**
 * A page that is whole gives its place back, though its reader is slow: what of it waits in memory is counted here, and
 * when that is more than this, the next one keeps its place until it is out. An eighth of the heap of the smallest
 * machine; a page of ours has some 20 KiB, and the system's own buffers take most of them at once.
 */
const unreadLimit = 16 * 2 ** 20;

/** Seconds. What is turned away for the load comes back when a level can have been left; for the limit, sooner. */
const retryAfterLoad = 5;
const retryAfterLimit = 1;

const alwaysPass = new Set([healthPath, readyPath, faviconPath]);

export type ShedOptions = {
  /** Paths that take reports. */
  readonly reports: readonly string[];
  readonly level: () => LoadLevel;
};

function classify(kind: RequestKind, method: string): RequestClass {
  switch (kind) {
    case 'document':
    case 'navigation':
    case 'slice':
      return 'page';
    case 'action':
      return 'action';
    case 'prefetch':
      return 'other';
    case 'other':
      // A form of an older kind: somebody waits for it.
      return method === 'POST' ? 'action' : 'other';
  }
}

export function answerBusy(kind: RequestKind, retryAfter = retryAfterLimit): Response {
  const { status, message } = refusals.overloaded;
  const { headers, body } = renderRefusal('overloaded', message, 'json');
  const isDocument = kind === 'document';
  return new Response(isDocument ? `${message}\n` : body, {
    status,
    headers: {
      ...headers,
      ...(isDocument ? { 'content-type': 'text/plain; charset=utf-8' } : {}),
      'retry-after': String(retryAfter),
    },
  });
}

/** Why a request is turned away, or what it does when it is done; `always` for those that no gate counts. */
type Entry = Place | 'always' | 'load' | 'limit';

export type Place = {
  /** For an answer that nobody sends: a test's, or one to a client that has gone. */
  readonly leave: () => void;
  /** Gives the place back when the answer is whole, or when its connection is gone. */
  readonly leaveWithAnswer: (outgoing: ServerResponse) => void;
};

/** The one count of what is being answered, for all that answers. */
export type Shedding = {
  readonly enter: (kind: RequestKind, method: string, path: string, address: string) => Entry;
  /** Undefined when too many are signing in. */
  readonly enterLogin: (address: string) => (() => void) | undefined;
  /** False when nobody gets a page any more, and that for some time. */
  readonly hasRoom: () => boolean;
};

function createPlaces(): (leave: () => void) => Place {
  let unread = 0;

  function leaveWhole(outgoing: ServerResponse, leave: () => void): void {
    const bytes = outgoing.socket?.writableLength ?? 0;
    if (unread + bytes > unreadLimit) return;
    leave();
    if (bytes === 0) return;
    unread += bytes;
    outgoing.on('close', () => (unread -= bytes));
  }

  return (leave) => ({
    leave,
    leaveWithAnswer(outgoing) {
      outgoing.on('prefinish', () => leaveWhole(outgoing, leave));
      outgoing.on('close', leave);
    },
  });
}

export function createShedding({ reports, level }: ShedOptions): Shedding {
  const reportPaths = new Set(reports);
  const toPlace = createPlaces();
  const gates: Readonly<Record<RequestClass, Gate>> = {
    report: createGate('report', gateOptions.report),
    login: createGate('login', gateOptions.login),
    other: createGate('other', gateOptions.other),
    action: createGate('action', gateOptions.action),
    page: createGate('page', gateOptions.page),
  };

  function isShed(requestClass: RequestClass): boolean {
    return loadLevels.indexOf(level()) >= loadLevels.indexOf(shedAt[requestClass]);
  }

  return {
    enter(kind, method, path, address) {
      if (path.startsWith(assetPrefix) || alwaysPass.has(path)) return 'always';
      // Its place is taken later.
      if (method === 'POST' && path === loginPath) return isShed('login') ? 'load' : 'always';
      const requestClass = reportPaths.has(path) ? 'report' : classify(kind, method);
      if (isShed(requestClass)) return 'load';
      const leave = gates[requestClass].enter(address);
      return leave ? toPlace(leave) : 'limit';
    },
    enterLogin: gates.login.enter,
    hasRoom: () => !gates.page.isStuck(),
  };
}

function readOutgoing(env: unknown): ServerResponse | undefined {
  const outgoing = typeof env === 'object' && env !== null && 'outgoing' in env ? env.outgoing : undefined;
  return outgoing instanceof ServerResponse && !outgoing.closed ? outgoing : undefined;
}

async function leaveWhenAnswered({ leave }: Place, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } finally {
    leave();
  }
}

export function shed(shedding: Shedding): MiddlewareHandler {
  return function shedMiddleware(c, next) {
    const request = currentRequest();
    const kind = request?.kind ?? 'other';
    const entry = shedding.enter(kind, c.req.method, c.req.path, request?.address ?? '');
    switch (entry) {
      case 'always':
        return next();
      case 'load':
        return Promise.resolve(answerBusy(kind, retryAfterLoad));
      case 'limit':
        return Promise.resolve(answerBusy(kind));
      default: {
        const outgoing = readOutgoing(c.env);
        if (!outgoing) return leaveWhenAnswered(entry, next);
        entry.leaveWithAnswer(outgoing);
        return next();
      }
    }
  };
}
