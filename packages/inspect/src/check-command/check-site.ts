import {
  type Framework,
  type Finding,
  adviseOnCaches,
  flightAsPage,
  isHarmful,
  judgeCookie,
  judgeTwoBodies,
  type CacheFault,
} from '#flight';

import type { Header } from '../flight-command/arguments.ts';
import { groupFindings, type CheckFinding, type Severity } from './check-finding.ts';
import { checkRoute, type CheckedRoute, type FailedRoute } from './check-route.ts';
import { judgeMissing, judgePrefetching, judgeStatus } from './judge-answers.ts';
import { judgeScripts } from './judge-scripts.ts';
import { choosePages } from './read-page-links.ts';
import { visitSite } from './visit-site.ts';
import type { Fetched } from '../flight-command/fetch-bounded.ts';

function isSameAddress(one: URL, other: URL): boolean {
  return one.origin === other.origin && one.pathname === other.pathname && one.search === other.search;
}

function findTwoBodies({ document, navigation }: CheckedRoute): CacheFault | undefined {
  if (!navigation || !isSameAddress(document.url, navigation.answer.url)) return undefined;
  return judgeTwoBodies(document.headers, navigation.answer.headers, navigation.requested);
}

function findCookie(answers: readonly Fetched[]): CacheFault | undefined {
  for (const { headers } of answers) {
    const fault = judgeCookie(headers, headers.has('set-cookie'));
    if (!fault) continue;
    // The name says what the cookie is for; its value is somebody's.
    const names = headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0]?.trim() ?? '');
    return { ...fault, title: `${fault.title}: ${names.join(', ')}` };
  }
  return undefined;
}

function judgeCaches(route: CheckedRoute): CheckFinding[] {
  const { path, document, navigation, prefetch, isFlight, framework } = route;
  const answers = [document, ...[navigation, prefetch].flatMap((payload) => (payload ? [payload.answer] : []))];
  const faults = [isFlight ? flightAsPage : undefined, findTwoBodies(route), findCookie(answers)];
  return faults
    .filter((fault) => fault !== undefined)
    .map(({ rule, title }) => ({
      kind: rule,
      severity: isHarmful(rule) ? 'high' : 'medium',
      title: `${title}.`,
      advice: adviseOnCaches(rule, framework),
      paths: [path],
    }));
}

const bySign: Readonly<Record<Finding['weight'], Severity>> = {
  problem: 'high',
  wait: 'low',
  cost: 'low',
  note: 'note',
};

/** What else than its weight says how bad it is. */
const byKind: Partial<Record<Finding['kind'], Severity>> = {
  development: 'high',
  // A prerender ends so by design.
  halted: 'note',
};

function judgePayload({ path, report }: CheckedRoute): CheckFinding[] {
  return (report?.findings ?? []).map(({ kind, weight, title, advice }) => ({
    kind,
    severity: byKind[kind] ?? bySign[weight],
    title,
    advice,
    paths: [path],
  }));
}

/**
 * A look at a site from outside, with few requests: its pages are found from the first one, each is asked for as a document, as a
 * navigation and as a prefetch, and what came is judged. The order is such that what is asked last is what can best be missed.
 */
export type SiteCheck = {
  readonly address: string;
  readonly framework: Framework | undefined;
  readonly versions: ReadonlyMap<string, string>;
  readonly routes: readonly CheckedRoute[];
  readonly failed: readonly FailedRoute[];
  readonly findings: readonly CheckFinding[];
  readonly requests: number;
  /** Paths that robots.txt forbids. */
  readonly forbidden: readonly string[];
};

export type CheckAsked = {
  readonly address: URL;
  /** Paths, instead of those that links lead to. */
  readonly routes: readonly string[];
  readonly headers: readonly Header[];
  readonly obeysRobots: boolean;
  /** What is known against the versions that the scripts name: `Next.js` is `16.0.6`. */
  readonly judgeVersions: (versions: ReadonlyMap<string, string>) => readonly CheckFinding[];
};

/** Of those that are found. With three requests each, this many leave room for the scripts, their maps and a page that is not there. */
const maxRoutes = 10;

/** An address that no app has. */
const missing = '/flight-recorder-check/no-such-page';

function isChecked(route: CheckedRoute | FailedRoute): route is CheckedRoute {
  return 'document' in route;
}

/** @param tell called with each page before it is asked for */
export async function checkSite(asked: CheckAsked, tell: (path: string) => void): Promise<SiteCheck> {
  const { address, headers, obeysRobots } = asked;
  const visitor = await visitSite(address, headers, obeysRobots);
  const routes: CheckedRoute[] = [];
  const failed: FailedRoute[] = [];
  async function look(url: URL): Promise<void> {
    tell(url.pathname);
    const route = await checkRoute(visitor, url, routes);
    if (isChecked(route)) routes.push(route);
    else failed.push(route);
  }
  await look(address);
  const home = routes[0];
  const scripts = await judgeScripts(visitor, home?.links.scripts ?? []);
  const none = await visitor.get(new URL(missing, address), [['Accept', 'text/html']]);
  const named = asked.routes.map((path) => new URL(path, address)).filter(({ href }) => href !== address.href);
  const queue = named.length > 0 ? named : choosePages(home?.links.pages ?? [], [address], maxRoutes - 1);
  for (const url of queue) await look(url);
  const found = [
    ...asked.judgeVersions(scripts.versions),
    ...scripts.findings,
    // Where strangers are sent to a login, nothing is missing.
    ...(none.kind === 'answer' && none.answer.url.pathname === missing ? judgeMissing(none.answer) : []),
    ...routes.flatMap((route) => [...judgeStatus(route), ...judgeCaches(route), ...judgePayload(route)]),
    ...(home ? judgePrefetching(home, routes) : []),
  ];
  return {
    address: address.href,
    framework: routes.find((route) => route.framework)?.framework,
    versions: scripts.versions,
    routes,
    failed,
    findings: groupFindings(found),
    requests: visitor.countRequests(),
    forbidden: [...visitor.forbidden],
  };
}
