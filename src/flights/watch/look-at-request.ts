import { nameNextRequest } from '#flight';
import { actionHeader } from '#src/server/http/flight-headers.ts';
import {
  actionPattern,
  actionRouteHeader,
  etagsHeader,
  skipHeader,
  flightPrefix,
  fromPayloadPath,
  slicePrefix,
} from '#src/server/http/waku-addresses.ts';

import type { RequestLook } from './exchange.ts';

/**
 * What kind of request this is, for each framework that says so: by its method, its target and a few headers, on the thread that
 * forwards it. The table stands in docs/recording.md. An unknown framework is recognised by what it answers.
 */
type Request = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** An address or an id that is longer is cut: a person could not read it. */
export const longestPath = 2_000;
const longestActionId = 300;

/** RedwoodSDK and Next.js add parameters of their own to the page's query. */
export const frameworkParameters = new Set(['_rsc', '__rsc', '__rsc_action_id']);

/** Of TanStack Start. */
const serverFunction = '/_serverFn/';

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not valid UTF-8: shown as it came.
    return path;
  }
}

/** What the web's rules read as another path: an app that makes a URL of its target sees that one. */
const unusual = /\\|\/\.|%2e/i;

/** A target may be a whole URL: an app that makes one of it takes its path. */
const absolute = /^[a-z][a-z\d+.-]*:\/\//i;

function resolve(path: string): string {
  if (absolute.test(path)) return URL.parse(path)?.pathname ?? path;
  if (!unusual.test(path)) return path;
  const url = URL.parse(`http://app${path.startsWith('/') ? '' : '/'}${path}`);
  return url?.pathname ?? path;
}

/** The path of a target or of a URL's path, as it is compared and stored. */
export function toPath(target: string): string {
  const at = target.indexOf('?');
  const path = resolve(at === -1 ? target : target.slice(0, at));
  return (path.includes('%') ? decode(path) : path).slice(0, longestPath);
}

/** `/about.rsc`, `/about_.rsc` → `/about`; `/_root.rsc`, `/_.rsc` → `/` */
function withoutSuffix(path: string, suffix: string): string {
  const page = path.slice(0, -suffix.length).replace(/(?<=\/)(?:_root|_)$|_$/, '');
  return page === '' ? '/' : page;
}

function isPrefetch({ headers }: Request): boolean {
  return /\bprefetch\b/.test(headers['sec-purpose'] ?? headers['purpose'] ?? '') || headers['x-prefetch'] === 'true';
}

const ofNext = ['next-router-prefetch', 'next-router-segment-prefetch', 'next-router-state-tree', 'next-url'];

function lookAtNext({ headers }: Request, path: string): RequestLook | undefined {
  const actionId = headers['next-action'];
  if (actionId !== undefined) return { framework: 'next', kind: 'action', path, actionId };
  if (headers['rsc'] !== '1') return undefined;
  const isNext = ofNext.some((name) => name in headers);
  return { framework: isNext ? 'next' : null, kind: nameNextRequest(headers), path, actionId: null };
}

function nameWakuRead(request: Request): 'prefetch' | 'navigation' | 'navigation-or-prefetch' {
  const { [etagsHeader]: etags, [skipHeader]: skip } = request.headers;
  if (isPrefetch(request) || etags === '{}') return 'prefetch';
  return etags === undefined && skip !== undefined ? 'navigation-or-prefetch' : 'navigation';
}

/**
 * An action is at `/RSC/F/<file>/<name>.txt`, and says from which page it is called. A page that is prefetched is asked for whole:
 * its client says that it has no part of it. A navigation comes from a page, so it has some.
 */
function lookAtWaku(request: Request, path: string): RequestLook | undefined {
  // With our plugin a page posts its actions to its own address.
  const posted = request.method === 'POST' ? request.headers[actionHeader] : undefined;
  if (posted !== undefined) {
    const actionId = posted.replace(/^_/, '').replace(/\/([^/]*)$/, '#$1');
    return { framework: 'waku', kind: 'action', path, actionId };
  }
  if (!path.startsWith(flightPrefix)) {
    // With a base path its addresses begin behind it. Waku decodes the body of each, before it looks at the route.
    const at = request.method !== 'GET' && path.endsWith('.txt') ? path.indexOf(flightPrefix) : -1;
    return at > 0 ? lookAtWaku(request, path.slice(at)) : undefined;
  }
  if (actionPattern.test(path)) {
    const actionId = path
      .replace(actionPattern, '')
      .replace(/\.txt$/, '')
      .replace(/\/([^/]*)$/, '#$1');
    return { framework: 'waku', kind: 'action', path: toPath(request.headers[actionRouteHeader] ?? path), actionId };
  }
  if (path.startsWith(slicePrefix)) return { framework: 'waku', kind: 'slice', path, actionId: null };
  return {
    framework: 'waku',
    kind: nameWakuRead(request),
    path: fromPayloadPath(path),
    actionId: null,
  };
}

function lookAtRedwood(request: Request, path: string): RequestLook | undefined {
  const at = request.target.indexOf('?');
  // A name may be written with `%`, too.
  if (at === -1 || !/__rsc|%/.test(request.target.slice(at))) return undefined;
  const query = new URLSearchParams(request.target.slice(at));
  const actionId = query.get('__rsc_action_id');
  if (actionId !== null) return { framework: 'redwood', kind: 'action', path, actionId };
  if (!query.has('__rsc')) return undefined;
  return { framework: 'redwood', kind: isPrefetch(request) ? 'prefetch' : 'navigation', path, actionId: null };
}

/** What several frameworks send: an action's id in a header, a suffix, the media type of Flight. */
function lookAtOthers(request: Request, path: string): RequestLook | undefined {
  const { method, headers } = request;
  const read = isPrefetch(request) ? 'prefetch' : 'navigation';
  const kind = method === 'POST' ? 'action' : read;
  const isStarter = /[^/]_\.rsc$/.test(path);
  const isRoot = path.endsWith('/_.rsc');
  const page = path.endsWith('.rsc') ? withoutSuffix(path, '.rsc') : path;
  const starterAction = headers['x-rsc-action'];
  if (starterAction !== undefined) {
    return { framework: 'vite-rsc', kind: 'action', path: page, actionId: starterAction };
  }
  const actionId = headers['rsc-action-id'];
  if (actionId !== undefined) return { framework: null, kind: 'action', path: page, actionId };
  if (page !== path) {
    const byName = isStarter ? 'vite-rsc' : 'react-router';
    return { framework: isRoot ? null : byName, kind, path: page, actionId: null };
  }
  if (path.endsWith('.manifest')) {
    // The routes of the links in view, and no page: nobody can go there, so it is no prefetch that is used or wasted.
    return { framework: null, kind: 'slice', path, actionId: null };
  }
  if (path.startsWith(serverFunction)) {
    const called = kind === 'action' ? path.slice(serverFunction.length) : null;
    return { framework: 'tanstack-start', kind, path, actionId: called };
  }
  return (headers['accept'] ?? '').includes('text/x-component')
    ? { framework: null, kind, path, actionId: null }
    : undefined;
}

const lookers = [lookAtNext, lookAtWaku, lookAtRedwood, lookAtOthers] as const;

/**
 * A server looks for the signs of its own framework alone. So where a request has those of several, a call is one, whatever else it seems
 * to be: the guard does not depend on what stands beside it.
 */
function choose(request: Request, path: string): RequestLook | undefined {
  let first: RequestLook | undefined;
  for (const lookAt of lookers) {
    const look = lookAt(request, path);
    if (look && (request.method === 'GET' || look.actionId !== null || look.framework === 'waku')) return look;
    first ??= look;
  }
  return first;
}

export function lookAtRequest(request: Request): RequestLook {
  const path = toPath(request.target);
  const look = choose(request, path) ?? {
    framework: null,
    kind: request.method === 'GET' && isPrefetch(request) ? 'prefetch' : null,
    path,
    actionId: null,
  };
  return look.actionId === null ? look : { ...look, actionId: look.actionId.slice(0, longestActionId) };
}

/** A script or a style sheet of the app's build, or what is asked for its head alone. */
export function lookAtOther(target: string): RequestLook {
  return { framework: null, kind: 'other', path: toPath(target), actionId: null };
}
