import 'server-only';

import { redactUrl } from '../page-data/page-data-error.ts';
import { currentRequest, type RequestContext, type RequestFact } from '#src/server/http/request-context.ts';
import { type Breadcrumb, cutBreadcrumb } from '#report/breadcrumb.ts';
import { runtimeSettings } from '../settings.ts';

/**
 * What a request did before its error. The runtime notes facts while it works: the attempts of `fetchPageData`, the
 * action, redirects, the beginning of a page. A page may add breadcrumbs of its own. Only a report of an error turns
 * facts into text.
 */

/** Of `data` of an app's own breadcrumb. */
const mostEntries = 20;

/** Notes a fact of the request being served. When there are too many, the newest are kept. */
export function noteFact(fact: RequestFact, request: RequestContext | undefined = currentRequest()): void {
  if (!request) return;
  const { breadcrumbs } = request;
  breadcrumbs.push(fact);
  if (breadcrumbs.length > runtimeSettings.breadcrumbsKept) breadcrumbs.shift();
}

type OwnBreadcrumb = Omit<Breadcrumb, 'time' | 'level'> & { readonly level?: Breadcrumb['level'] };

/**
 * For an app's own code: notes what it did in the request being served, for the report of an error that may follow.
 * Text that is too long is cut. Outside a request it does nothing.
 */
export function addBreadcrumb({ level = 'info', data = {}, ...noted }: OwnBreadcrumb): void {
  const request = currentRequest();
  if (!request) return;
  const kept = Object.fromEntries(Object.entries(data).slice(0, mostEntries));
  noteFact({ type: 'own', ...cutBreadcrumb({ ...noted, time: Date.now(), level, data: kept }) }, request);
}

/** The breadcrumbs of a request, with its own arrival: oldest first, the newest `breadcrumbsKept`. */
export function listBreadcrumbs(request: RequestContext): readonly Breadcrumb[] {
  const { method, path, kind, startedAt, breadcrumbs } = request;
  const arrival = { time: startedAt, category: 'http', message: `${method} ${path} (${kind})`, level: 'info' } as const;
  const all = [arrival, ...breadcrumbs.map(toBreadcrumb)].slice(-runtimeSettings.breadcrumbsKept);
  // The sender of a request decides how long its paths and addresses are.
  return all.map((breadcrumb) => cutBreadcrumb(breadcrumb));
}

function toBreadcrumb(fact: RequestFact): Breadcrumb {
  const { time } = fact;
  switch (fact.type) {
    case 'render-began':
      return { time, category: 'render', message: 'Rendering began', level: 'info' };
    case 'first-byte':
      return { time, category: 'render', message: 'The first bytes were sent', level: 'info' };
    case 'redirect':
      return {
        time,
        category: 'redirect',
        message: `${fact.status} to ${redactLocation(fact.location)}`,
        level: 'info',
      };
    case 'action':
      return describeAction(fact);
    case 'page-data':
      return describeTry(fact);
    case 'own':
      return { time, category: fact.category, message: fact.message, level: fact.level, data: fact.data };
  }
}

/** Takes the values of the query and credentials out of an address. A path stays a path. */
function redactLocation(location: string): string {
  const base = 'http://relative.invalid';
  const url = URL.parse(location, base);
  return url ? redactUrl(url).replace(base, '') : '(no address)';
}

/** A thrown redirect passes several places, and is noted at the first one. */
export function noteRedirect(status: number, location: string, request = currentRequest()): void {
  const last = request?.breadcrumbs.at(-1);
  if (last?.type === 'redirect' && last.location === location) return;
  noteFact({ type: 'redirect', time: Date.now(), status, location }, request);
}

function describeAction({ time, id, ms, outcome }: Extract<RequestFact, { type: 'action' }>): Breadcrumb {
  const level = outcome === 'thrown' ? 'error' : 'info';
  return { time, category: 'action', message: `${id} ${outcome}`, level, data: { ms } };
}

function describeTry(fact: Extract<RequestFact, { type: 'page-data' }>): Breadcrumb {
  const { time, url, result, attempt, ms, waitMs } = fact;
  const isFine = typeof result === 'number' && result < 400;
  return {
    time,
    category: 'page-data',
    message: `${redactLocation(url)} ${result}`,
    level: isFine ? 'info' : 'warning',
    data: { attempt, ms, ...(waitMs === undefined ? {} : { waitMs }) },
  };
}
