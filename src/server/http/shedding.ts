import type { ServerResponse } from 'node:http';

import { faviconPath, healthPath, loginPath, metricsPath, readyPath } from './addresses.ts';
import { createGate, type Gate, type GateOptions } from './gate.ts';
import { loadLevels, type LoadLevel } from './load-level.ts';
import type { RequestKind } from './request-context.ts';
import { assetPrefix } from './waku-addresses.ts';

/**
 * Turns work away while there is too much of it: 503 with `Retry-After`, before anything of it is read or rendered. Two
 * rules. Of each class only so many are answered at once, whatever the load: that bounds memory. And when the process is
 * overloaded (load-level.ts), classes are turned away in the order of what can best be missed. Health and the hashed
 * assets always pass: they cost next to nothing, and without them nobody sees what is wrong.
 */
type RequestClass = 'report' | 'keyed' | 'sdk' | 'other' | 'action' | 'page' | 'login';

/**
 * What each class holds in memory at most: a report its megabyte packed and unpacked, an action its megabyte and what is
 * decoded from it, a page a few hundred KiB until it is whole. A login is a class of its own, so that nothing else can
 * keep the operator out. It takes its place when its form has been read (access/middleware/login.ts). Two passwords are hashed at
 * a time, some 100 ms each, so the last of sixteen waits for a second.
 */
const gateOptions = {
  // More than the places for their bodies, in which those that come slowly give way: stranger-places.ts, take-report.ts.
  report: { limit: 96 },
  // Anybody may sign in, as slowly as the deadlines allow.
  login: { limit: 16, sharedBy: 'network' },
  // Who has no key is answered before anything is read. How many bodies are read, and of which app: apps/enter-sender.ts.
  keyed: { limit: 64 },
  // A server's SDK sends up to 64 events at once. How many are read, by whose key, the middleware decides: sdk-reports.ts.
  sdk: { limit: 320 },
  other: { limit: 64 },
  action: { limit: 16 },
  page: { limit: 256 },
} as const satisfies Record<RequestClass, GateOptions>;

/** The lowest level at which a class is turned away. */
const shedAt = {
  report: 'no-reports',
  keyed: 'no-others',
  // What servers' SDKs send is bounded by its places, its queue and its pace (sdk-reports.ts). A busy event loop is no reason to
  // refuse it: refusals keep the loop as busy, when a client sends again at once.
  sdk: 'no-others',
  other: 'no-others',
  action: 'no-pages',
  page: 'no-pages',
  login: 'no-pages',
} as const satisfies Record<RequestClass, LoadLevel>;

/**
 * A page that is complete gives its place back, even when its reader is slow. The bytes that wait in memory are counted,
 * and above this limit the next page keeps its place until it has been sent. An eighth of the heap of the smallest machine;
 * a page of this app has some 20 KiB, and the system's own buffers take most pages at once.
 */
const unreadLimit = 16 * 2 ** 20;

const alwaysPass = new Set([healthPath, readyPath, metricsPath, faviconPath]);

/** Where somebody outside sends something, and with what that is turned away: what strangers report first, what apps send later. */
export type ReceivedAt = { readonly at: (path: string) => boolean; readonly shedAs: 'report' | 'keyed' | 'sdk' };

export type ShedOptions = {
  /** The first that knows a path decides. */
  readonly received: readonly ReceivedAt[];
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
      // A form without an action: a person waits for it.
      return method === 'POST' ? 'action' : 'other';
  }
}

/** A place; why there is none; or `always`, for requests that no gate counts. */
type Entry = Place | 'always' | 'load' | 'limit';

export type Place = {
  /** For an answer that is not sent: in a test, or when the client has gone. */
  readonly leave: () => void;
  /** Gives the place back when the answer is whole, or when its connection is gone. */
  readonly leaveWithAnswer: (outgoing: ServerResponse) => void;
};

/** The one count of what is being answered: both ways in which a file is sent use it. */
export type Shedding = {
  readonly enter: (kind: RequestKind, method: string, path: string, address: string) => Entry;
  /** Whether `enter` would let it in now. Takes no place and counts nobody who is turned away. */
  readonly admits: (kind: RequestKind, method: string, path: string, address: string) => boolean;
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

export function createShedding({ received, level }: ShedOptions): Shedding {
  const toPlace = createPlaces();
  const gates: Readonly<Record<RequestClass, Gate>> = {
    report: createGate('report', gateOptions.report),
    keyed: createGate('keyed', gateOptions.keyed),
    sdk: createGate('sdk', gateOptions.sdk),
    login: createGate('login', gateOptions.login),
    other: createGate('other', gateOptions.other),
    action: createGate('action', gateOptions.action),
    page: createGate('page', gateOptions.page),
  };

  function isShed(requestClass: RequestClass): boolean {
    return loadLevels.indexOf(level()) >= loadLevels.indexOf(shedAt[requestClass]);
  }

  function choose(kind: RequestKind, method: string, path: string): RequestClass | 'always' | 'load' {
    // First: a DSN may have any path in front, that of the assets among them.
    const receivedAs = received.find(({ at }) => at(path))?.shedAs;
    if (!receivedAs && (path.startsWith(assetPrefix) || alwaysPass.has(path))) return 'always';
    // Its place is taken later.
    if (method === 'POST' && path === loginPath) return isShed('login') ? 'load' : 'always';
    const requestClass = receivedAs ?? classify(kind, method);
    return isShed(requestClass) ? 'load' : requestClass;
  }

  return {
    enter(kind, method, path, address) {
      const chosen = choose(kind, method, path);
      if (chosen === 'always' || chosen === 'load') return chosen;
      const leave = gates[chosen].enter(address);
      return leave ? toPlace(leave) : 'limit';
    },
    admits(kind, method, path, address) {
      const chosen = choose(kind, method, path);
      return chosen === 'always' || (chosen !== 'load' && gates[chosen].hasRoom(address));
    },
    enterLogin: gates.login.enter,
    hasRoom: () => !gates.page.isStuck(),
  };
}
