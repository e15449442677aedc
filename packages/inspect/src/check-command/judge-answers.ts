import { countOf, formatBytes, readDigestsFromHtml, readErrors, readLinks } from '#flight';

import type { Fetched } from '../flight-command/fetch-bounded.ts';
import type { CheckFinding } from './check-finding.ts';
import type { CheckedRoute } from './check-route.ts';

/** What answers say by themselves: their status, whether they are compressed, and what an error page gives away. */

/** One packet of TCP on Ethernet. Less than that is not sent sooner when it is compressed. */
const worthCompressing = 1400;

function isUncompressed({ headers, bytes, transferred }: Fetched): boolean {
  return !headers.has('content-encoding') && bytes.length > worthCompressing && transferred >= bytes.length;
}

function judgeCompression({ path, document, navigation, prefetch }: CheckedRoute): CheckFinding[] {
  const named = [
    ['Documents are', document] as const,
    ...[navigation, prefetch].flatMap((one) => (one ? [['Payloads are', one.answer] as const] : [])),
  ];
  const kinds = new Set(named.filter(([, answer]) => isUncompressed(answer)).map(([what]) => what));
  const advice = 'Turn compression on, in the app or in front of it: Flight shrinks to a fifth.';
  return [...kinds].map((what) => ({
    kind: 'uncompressed',
    severity: 'medium',
    title: `${what} sent without compression.`,
    advice,
    paths: [path],
  }));
}

/** A line of a stack, and places in a server's files: with a line's number, since a page names paths of its own, too. */
const leaks: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a stack', /\bat [^\n<>]{1,200}(?:\.[cm]?[jt]sx?|node:[\w/]+):\d+:\d+/],
  [
    'paths of the server’s files',
    /(?:(?<![\w/.-])\/(?:home|var|app|srv|opt|root|Users)\/[\w./-]{1,200}|[A-Z]:\\[\w.\\ -]{1,200})\.[cm]?[jt]sx?:\d+/,
  ],
];

const utf8 = new TextDecoder();

function judgeLeaks(path: string, { bytes }: Fetched): CheckFinding[] {
  const text = utf8.decode(bytes);
  const found = leaks.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  if (found.length === 0) return [];
  const title = `An error page shows ${found.join(' and ')}.`;
  const advice = 'Show a digest alone: the rest belongs into the server’s log.';
  return [{ kind: 'error-leak', severity: 'high', title, advice, paths: [path] }];
}

/** A page that failed; what it shows is a part of it. */
export function judgeStatus(route: CheckedRoute): CheckFinding[] {
  const { path, document, report } = route;
  const compression = judgeCompression(route);
  if (document.status < 500) return compression;
  const inRows = report ? readErrors(report.flight).flatMap((error) => error.digest ?? []) : [];
  const digests = [...new Set([...readDigestsFromHtml(utf8.decode(document.bytes)), ...inRows])].filter(
    (one) => one !== '',
  );
  const digest = digests[0] === undefined ? 'without a digest' : `with the digest ${digests.join(', ')}`;
  const title = `A page answers ${document.status}, ${digest}.`;
  const advice =
    digests[0] === undefined ? 'The server’s log has the cause.' : 'Look the digest up: flight-recorder digest <code>.';
  const failed: CheckFinding = { kind: 'failed-page', severity: 'high', title, advice, paths: [path] };
  return [failed, ...judgeLeaks(path, document), ...compression];
}

/** What an address answers that no app has. */
export function judgeMissing(answer: Fetched): CheckFinding[] {
  const paths = ['/(an address that is not there)'];
  const found: CheckFinding[] =
    answer.status === 404 || answer.status === 410
      ? []
      : [
          {
            kind: 'missing-page',
            severity: answer.status >= 500 ? 'high' : 'medium',
            title: `An address that is not there answers ${answer.status}.`,
            advice: 'Answer 404: search engines and monitoring take anything else for a page.',
            paths,
          },
        ];
  return [...found, ...judgeLeaks('/(an address that is not there)', answer)];
}

/**
 * Next.js leaves the base path out of the links in a payload, and not out of those in the HTML. So the base path is that beginning of the
 * page's own path with which most of the payload's links are in the HTML.
 */
function findBase(pathnames: readonly string[], { document, links: { pages } }: CheckedRoute): string {
  const inHtml = new Set(pages.map(({ pathname }) => pathname));
  const parts = document.url.pathname.split('/');
  const bases = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  const counted = bases.map((base) => ({ base, count: pathnames.filter((one) => inHtml.has(base + one)).length }));
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).base;
}

type Prefetching = {
  /** Addresses of a page of which no link is prefetched. */
  readonly never: ReadonlySet<string>;
  /** Those of which a link is prefetched whole. */
  readonly whole: ReadonlySet<string>;
};

function readPrefetching(home: CheckedRoute): Prefetching {
  const { report, document } = home;
  const inPayload = (report ? readLinks(report.flight) : []).flatMap((link) => {
    const url = URL.parse(link.href, document.url);
    return url ? [{ ...link, pathname: url.pathname }] : [];
  });
  const base = findBase(
    inPayload.map(({ pathname }) => pathname),
    home,
  );
  const links = inPayload.map((link) => ({ ...link, pathname: base + link.pathname }));
  const prefetched = new Set(links.flatMap((link) => (link.isNeverPrefetched ? [] : [link.pathname])));
  const never = links.flatMap((link) => (link.isNeverPrefetched ? [link.pathname] : []));
  return {
    never: new Set(never.filter((pathname) => !prefetched.has(pathname))),
    whole: new Set(links.flatMap((link) => (link.isWhollyPrefetched ? [link.pathname] : []))),
  };
}

/** What prefetching costs a visit to a page, by the links whose prefetch was measured. What is shown already is not fetched again. */
export function judgePrefetching(home: CheckedRoute, routes: readonly CheckedRoute[]): CheckFinding[] {
  const { never, whole } = readPrefetching(home);
  const left = new Set([...never, home.document.url.pathname]);
  const linked = new Set(home.links.pages.map(({ pathname }) => pathname).filter((pathname) => !left.has(pathname)));
  const measured = routes.filter(({ document, prefetch }) => prefetch && linked.has(document.url.pathname));
  if (measured.length === 0) return [];
  const bytes = measured.reduce((sum, { document, navigation, prefetch }) => {
    const asked = whole.has(document.url.pathname) ? (navigation ?? prefetch) : prefetch;
    return sum + (asked?.answer.transferred ?? 0);
  }, 0);
  const each = Math.round(bytes / measured.length);
  const title =
    `A visit to ${home.path} may prefetch ${countOf(linked.size, 'page')}: ` +
    `${formatBytes(bytes)} for the ${measured.length} that were asked, ${formatBytes(each)} each.`;
  const advice = 'Links that few follow can do without: prefetch={false}. A recording tells which are used.';
  return [{ kind: 'prefetching', severity: 'note', title, advice, paths: [home.path] }];
}
