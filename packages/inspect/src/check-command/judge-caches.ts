import { adviseOnCaches, flightAsPage, isHarmful, judgeCookie, judgeTwoBodies, type CacheFault } from '#flight';

import type { Fetched } from '../flight-command/fetch-bounded.ts';
import type { CheckFinding } from './check-finding.ts';
import type { CheckedRoute } from './check-route.ts';

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

export function judgeCaches(route: CheckedRoute): CheckFinding[] {
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
