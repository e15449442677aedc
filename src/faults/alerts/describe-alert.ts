import 'server-only';

import { countOf, formatBytes, formatDuration } from '#flight';
import { formatAppQuery } from '#src/ui/app-query.ts';
import {
  alertsPath,
  appBuildsPath,
  faultPath,
  faultsPath,
  flightsPath,
  guardPath,
} from '#src/server/http/addresses.ts';

import { countSummed, type AlertContent, type FaultContent, type Summed } from './message.ts';

/** The words of a message that several shapes share. */
export type AlertWords = {
  /** What happened, in our words alone. */
  readonly title: string;
  /** What senders said: somebody else's text. */
  readonly headline: string | undefined;
  /** The values are somebody else's text, too. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** In our words alone. */
  readonly notes: readonly string[];
  readonly link: { readonly text: string; readonly url: string };
};

type FaultAlert = Extract<AlertContent, { readonly type: 'fault' }>;

function titleOf({ reason, inHour }: FaultAlert): string {
  switch (reason) {
    case 'new':
      return 'New fault';
    case 'regressed':
      return 'A resolved fault came back';
    case 'woke':
      return 'A snoozed fault is back';
    case 'volume':
      return inHour === null ? 'A fault occurs often' : `A fault occurred ${countOf(inHour, 'time')} within an hour`;
  }
}

function listFacts({ fault, more }: FaultAlert): AlertWords['facts'] {
  const { appName, count, untrusted, users, level, environment, page, release, digest } = fault;
  const seen = [
    ...(count > 0 ? [countOf(count, 'error')] : []),
    ...(untrusted > 0 ? [`${countOf(untrusted, 'error')} of browsers`] : []),
    ...(users > 0 ? [countOf(users, 'user')] : []),
  ].join(', ');
  return [
    { name: 'App', value: appName },
    ...(page === '' ? [] : [{ name: 'Page', value: page }]),
    { name: 'Level', value: level },
    ...(environment === '' ? [] : [{ name: 'Environment', value: environment }]),
    { name: 'Seen', value: more !== null && more > 0 ? `${seen}: ${more} more since the last message` : seen },
    ...(release === '' ? [] : [{ name: 'Release', value: release }]),
    ...(digest === null ? [] : [{ name: 'Digest', value: digest }]),
  ];
}

function titleOfSummary(faults: Summed): string {
  const total = countSummed(faults);
  const others = total - faults.new;
  if (others === 0) return `${total} more new ${total === 1 ? 'fault' : 'faults'}`;
  const parts = [
    [faults.new, 'new'],
    [faults.regressed, 'came back after they were resolved'],
    [faults.woke, 'came back after a snooze'],
    [faults.volume, 'occur often'],
  ] as const;
  const said = parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
  return `${countOf(total, 'more fault')}: ${said}`;
}

export function headlineOf({ name, message, culprit }: FaultContent): string {
  return `${name}: ${message}${culprit === '' ? '' : ` (${culprit})`}`;
}

type SummaryAlert = Extract<AlertContent, { readonly type: 'summary' }>;

/** One is named as any other; of several the first, with their apps. */
function describeSummary({ faults, named }: SummaryAlert, origin: string): AlertWords {
  const total = countSummed(faults);
  const [only] = total === 1 ? named : [];
  const title = titleOfSummary(faults);
  if (only) {
    return {
      title,
      headline: headlineOf(only),
      facts: [{ name: 'App', value: only.appName }],
      notes: [...notesOf(only), 'It came with others, too many at once to be told one by one.'],
      link: { text: 'Open the fault', url: origin + faultPath(only.id) },
    };
  }
  const others = total - named.length;
  return {
    title,
    headline: undefined,
    facts: named.map((fault) => ({
      name: fault.side === 'browser' ? 'Reported by browsers' : 'Fault',
      value: `${headlineOf(fault)}, in ${fault.appName}`,
    })),
    notes: [
      ...(named.length > 0 && others > 0 ? [`And ${countOf(others, 'other')}.`] : []),
      'They were too many at once to be told one by one.',
    ],
    link: { text: 'Open the list of faults', url: origin + faultsPath },
  };
}

function notesOf({ side }: FaultContent): string[] {
  return side === 'browser' ? ['Only browsers reported it: anybody can send such a report.'] : [];
}

type TriesAlert = Extract<AlertContent, { readonly type: 'tries' }>;

function describeTries({ app, appName, count, more, advisories }: TriesAlert, origin: string): AlertWords {
  const times = countOf(count, 'time');
  return {
    title: more === null ? 'Somebody sends forged requests' : 'Somebody still sends forged requests',
    headline: undefined,
    facts: [
      { name: 'App', value: appName },
      { name: 'Seen', value: more === null ? times : `${times}: ${more} more since the last message` },
      ...(advisories.length === 0 ? [] : [{ name: 'Shape of', value: advisories.join(', ') }]),
    ],
    notes: [
      'No client of React could have sent them. What the app answered is on the page; more of today is told tomorrow.',
    ],
    link: { text: 'Open the guard', url: `${origin}${guardPath}${formatAppQuery(app)}` },
  };
}

type SecretsAlert = Extract<AlertContent, { readonly type: 'secrets' }>;

function describeSecrets({ app, appName, count, more, name, place, route }: SecretsAlert, origin: string): AlertWords {
  const places = countOf(count, 'place');
  return {
    title: more === null ? 'A secret is in what an app sends' : 'More secrets are in what an app sends',
    headline: undefined,
    facts: [
      { name: 'App', value: appName },
      { name: 'What', value: name },
      { name: 'Where', value: place },
      { name: 'Route', value: route },
      { name: 'In all', value: more === null ? places : `${places}: ${more} more since the last message` },
    ],
    notes: ['Every visitor of the page can read it. Replace it, and pass only what the component shows.'],
    link: { text: 'Open the guard', url: `${origin}${guardPath}${formatAppQuery(app)}` },
  };
}

type CachesAlert = Extract<AlertContent, { readonly type: 'caches' }>;

function describeCaches({ app, appName, count, more, name, route }: CachesAlert, origin: string): AlertWords {
  const places = countOf(count, 'place');
  return {
    title:
      more === null ? 'A cache may send answers to the wrong visitors' : 'A cache may send more to the wrong visitors',
    headline: undefined,
    facts: [
      { name: 'App', value: appName },
      { name: 'What', value: name },
      { name: 'Route', value: route },
      { name: 'In all', value: more === null ? places : `${places}: ${more} more since the last message` },
    ],
    notes: ['The page says which setting mends it.'],
    link: { text: 'Open the guard', url: `${origin}${guardPath}${formatAppQuery(app)}` },
  };
}

type StormsAlert = Extract<AlertContent, { readonly type: 'storms' }>;

function describeStorms(content: StormsAlert, origin: string): AlertWords {
  const { app, appName, count, more, route, page, tab, peak, since, requests } = content;
  const begun = new Date(since).toISOString().slice(11, 16);
  const tabs = countOf(count, 'tab');
  return {
    title: more === null ? 'A tab asks for the same again and again' : 'More tabs ask for the same again and again',
    headline: `One tab asks up to ${countOf(peak, 'time')} a second, most often for ${route}, since ${begun} UTC`,
    facts: [
      { name: 'App', value: appName },
      ...(page === '' ? [] : [{ name: 'Page', value: page }]),
      { name: 'Tab', value: tab },
      { name: 'So far', value: countOf(requests, 'request') },
      { name: 'In all', value: more === null ? tabs : `${tabs}: ${more} more since the last message` },
    ],
    notes: ['What it costs is on the page; more of today is told tomorrow.'],
    link: { text: 'Open the guard', url: `${origin}${guardPath}${formatAppQuery(app)}` },
  };
}

type BuildAlert = Extract<AlertContent, { readonly type: 'build' }>;

function describeBuild(content: BuildAlert, origin: string): AlertWords {
  const { app, appName, build, before, faults, named, heavier, routes } = content;
  const brought = [
    ...(faults === 0 ? [] : [countOf(faults, 'new fault')]),
    ...(heavier === 0 ? [] : [countOf(heavier, 'heavier route')]),
  ];
  const others = faults - named.length + heavier - routes.length;
  return {
    title: `A new build brought ${brought.join(' and ')}`,
    headline: undefined,
    facts: [
      { name: 'App', value: appName },
      { name: 'Build', value: `${build}, after ${before}` },
      ...named.map((fault) => ({ name: 'Fault', value: headlineOf(fault) })),
      ...routes.map(({ route, kind, bytes, before: then }) => ({
        name: 'Heavier',
        value: `${route} (${kind}): ${formatBytes(bytes)} of Flight, was ${formatBytes(then)}`,
      })),
    ],
    notes: others > 0 ? [`And ${countOf(others, 'other')}.`] : [],
    link: { text: 'Open the builds', url: origin + appBuildsPath(app) },
  };
}

/** The list of an app's routes. */
export function routesAddress(app: string): string {
  return `${flightsPath}?${new URLSearchParams({ app, view: 'routes' }).toString()}`;
}

type SlowAlert = Extract<AlertContent, { readonly type: 'slow' }>;

function describeSlow({ app, appName, count, routes, limitMs }: SlowAlert, origin: string): AlertWords {
  const others = count - routes.length;
  return {
    title: count === 1 ? 'A route is slow' : `${count} routes are slow`,
    headline: undefined,
    facts: [
      { name: 'App', value: appName },
      ...routes.map(({ route, kind, p95Ms, answers }) => ({
        name: 'Route',
        value: `${route} (${kind}): 95 of 100 within ${formatDuration(p95Ms)}, of ${countOf(answers, 'answer')}`,
      })),
      { name: 'Limit', value: `${formatDuration(limitMs)}, in the last hour` },
    ],
    notes: [
      ...(others > 0 ? [`And ${countOf(others, 'other')}.`] : []),
      'The list of a route says what its server waited for, where the app tells it. The same route is told again tomorrow.',
    ],
    link: {
      text: 'Open the routes',
      url: origin + routesAddress(app),
    },
  };
}

/** @param origin the address at which people reach this server */
export function describeAlert(content: AlertContent, origin: string): AlertWords {
  switch (content.type) {
    case 'fault': {
      const { fault } = content;
      return {
        title: titleOf(content),
        headline: headlineOf(fault),
        facts: listFacts(content),
        notes: notesOf(fault),
        link: { text: 'Open the fault', url: origin + faultPath(fault.id) },
      };
    }
    case 'summary':
      return describeSummary(content, origin);
    case 'tries':
      return describeTries(content, origin);
    case 'secrets':
      return describeSecrets(content, origin);
    case 'caches':
      return describeCaches(content, origin);
    case 'storms':
      return describeStorms(content, origin);
    case 'build':
      return describeBuild(content, origin);
    case 'slow':
      return describeSlow(content, origin);
    case 'test':
      return {
        title: 'A test of Flight Recorder',
        headline: undefined,
        facts: [],
        notes: ['Somebody pressed “Send a test” for this channel. Nothing is broken.'],
        link: { text: 'Open the alerts', url: origin + alertsPath },
      };
  }
}
