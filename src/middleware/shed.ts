import 'server-only';

import { ServerResponse } from 'node:http';

import type { MiddlewareHandler } from 'hono';

import { refusals } from '#src/runtime/actions/refusals.ts';
import { renderRefusal } from '#src/runtime/actions/refuse.ts';
import { currentRequest, type RequestKind } from '#src/runtime/request-context.ts';

import { createGate, type Gate } from './gate.ts';
import { loadLevels, type LoadLevel } from './load-level.ts';

/**
 * Turns work away while there is too much of it: 503 with `Retry-After`, before anything of it is read or rendered. Two
 * rules. Of each class only so many are answered at once, whatever the load: that bounds memory. And when the process is
 * overloaded (load-level.ts), classes are turned away in the order of what can best be missed. Health and the hashed
 * assets always pass: they cost next to nothing, and without them nobody sees what is wrong.
 */
type RequestClass = 'report' | 'other' | 'action' | 'page';

/**
 * What each class holds in memory at most: a report its megabyte packed and unpacked, an action its megabyte and what is
 * decoded from it, a page a few hundred KiB while it is rendered and for as long as its reader is slow.
 */
const inFlightLimits = { report: 16, other: 64, action: 16, page: 256 } as const satisfies Record<RequestClass, number>;

/** The lowest level at which a class is turned away. */
const shedAt = {
  report: 'no-reports',
  other: 'no-others',
  action: 'no-pages',
  page: 'no-pages',
} as const satisfies Record<RequestClass, LoadLevel>;

/** Seconds. What is turned away for the load comes back when a level can have been left; for the limit, sooner. */
const retryAfterLoad = 5;
const retryAfterLimit = 1;

const alwaysPass = new Set(['/healthz', '/readyz', '/favicon.svg']);
const assetPrefix = '/assets/';

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
      // A login, a form of an older kind: somebody waits for it.
      return method === 'POST' ? 'action' : 'other';
  }
}

function answerBusy(kind: RequestKind, retryAfter: number): Response {
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

/** A response is under way until its last byte is out, long after the middleware is done with it. */
function leaveWhenSent(env: unknown, gate: Gate): boolean {
  const outgoing = typeof env === 'object' && env !== null && 'outgoing' in env ? env.outgoing : undefined;
  if (!(outgoing instanceof ServerResponse) || outgoing.closed) return false;
  outgoing.on('close', gate.leave);
  return true;
}

/** Why a request is turned away, or the gate that it is inside of; `always` for those that no gate counts. */
type Entry = Gate | 'always' | 'load' | 'limit';

/** The one count of what is being answered, for all that answers. */
export type Shedding = {
  readonly enter: (kind: RequestKind, method: string, path: string) => Entry;
};

export function createShedding({ reports, level }: ShedOptions): Shedding {
  const reportPaths = new Set(reports);
  const gates: Readonly<Record<RequestClass, Gate>> = {
    report: createGate('report', inFlightLimits.report),
    other: createGate('other', inFlightLimits.other),
    action: createGate('action', inFlightLimits.action),
    page: createGate('page', inFlightLimits.page),
  };

  function isShed(requestClass: RequestClass): boolean {
    return loadLevels.indexOf(level()) >= loadLevels.indexOf(shedAt[requestClass]);
  }

  return {
    enter(kind, method, path) {
      if (path.startsWith(assetPrefix) || alwaysPass.has(path)) return 'always';
      const requestClass = reportPaths.has(path) ? 'report' : classify(kind, method);
      if (isShed(requestClass)) return 'load';
      const gate = gates[requestClass];
      return gate.enter() ? gate : 'limit';
    },
  };
}

/** For an answer that nobody sends: a test's, or one to a client that has gone. */
async function leaveWhenAnswered(gate: Gate, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } finally {
    gate.leave();
  }
}

export function shed(shedding: Shedding): MiddlewareHandler {
  return function shedMiddleware(c, next) {
    const kind = currentRequest()?.kind ?? 'other';
    const entry = shedding.enter(kind, c.req.method, c.req.path);
    switch (entry) {
      case 'always':
        return next();
      case 'load':
        return Promise.resolve(answerBusy(kind, retryAfterLoad));
      case 'limit':
        return Promise.resolve(answerBusy(kind, retryAfterLimit));
      default:
        return leaveWhenSent(c.env, entry) ? next() : leaveWhenAnswered(entry, next);
    }
  };
}
