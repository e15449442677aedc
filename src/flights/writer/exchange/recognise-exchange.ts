import {
  type AppFacts,
  decodeFlight,
  describeApp,
  describePage,
  type Framework,
  readEntries,
  readRowValue,
  readNextTree,
} from '#flight';

import type { StoredFlight } from '../../flight/flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { findRoute } from '../../flight/find-route.ts';
import { isOfScript, isPageRequest } from '../../watch/is-worth-watching.ts';
import { longestPath } from '../../watch/look-at-request.ts';
import type { Found } from './find-payloads.ts';

/** What a request and its answer were, from both and from the payload: what a sign does not show stays unknown. */
export type Recognised = {
  readonly kind: StoredFlight['kind'];
  readonly framework: Framework | null;
  /** The page's. */
  readonly path: string;
  /** The pattern where something says it, else the path. */
  readonly route: string;
  readonly app: AppFacts | undefined;
  /** The id of the build that answered; undefined where nothing says it. */
  readonly build: string | undefined;
  /** The build is called by a deployment's id, as its tabs call themselves. */
  readonly isDeployment: boolean;
  /** Waku's parts of the page. */
  readonly elements: readonly string[];
};

const multipart = /\bmultipart\/form-data\b/i;

function findKind(
  { method, look, requestHeaders }: ExchangeFacts,
  isPage: boolean,
  hasFlight: boolean,
): StoredFlight['kind'] {
  if (look.kind !== null) return look.kind;
  // An endpoint that failed.
  if (!isPage && !hasFlight) return 'other';
  if (!isPage) return method === 'POST' ? 'action' : 'navigation';
  if (isOfScript(requestHeaders)) return 'other';
  if (method !== 'POST') return 'document';
  // React's forms are sent so. What else is posted calls no action, though an app may answer with its page.
  return multipart.test(requestHeaders['content-type'] ?? '') ? 'action' : 'other';
}

/** A prefetch of a part of a page says by its address which page it is for. An action is called from the page at its address. */
function findNextRoute({ look, requestHeaders }: ExchangeFacts, kind: Recognised['kind']): string | undefined {
  if (look.framework !== 'next') return undefined;
  const tree = readNextTree(requestHeaders['next-router-state-tree']);
  return kind === 'action' ? tree?.route : tree?.askedRoute;
}

/**
 * The route of a page of TanStack Start, from what its script hands to the client: the matched routes, the innermost last, each with
 * an id made of the route's pattern and the page's path, with `#` for `/`.
 */
const match = /\{i:"([^"\\]{1,1000})",u:/g;

function readTanstackRoute(html: string, path: string): string | undefined {
  const id = [...html.matchAll(match)].at(-1)?.[1]?.replaceAll('#', '/');
  if (id === undefined || !id.endsWith(path)) return undefined;
  return id.slice(0, -path.length) || undefined;
}

/** Waku's root is an object with the page's parts by their names, beside fields of its own. */
const partsLimit = 100;
const isPart = /^(?:root$|(?:layout|page|route|slice):.{0,290}$)/;

function readWakuElements(payload: Uint8Array): string[] {
  const flight = decodeFlight(payload);
  const root = flight.root === undefined ? undefined : readRowValue(flight, flight.root);
  if (!root) return [];
  return readEntries(flight, root, 0, partsLimit)
    .map(({ key }) => key)
    .filter((key) => isPart.test(key));
}

/** What Next.js 16 writes as the id of each build that has a deployment id. An answer says it where the server does not know that id. */
const buildOfDeployments = 'build-TfctsWXpff2fKS';

/** Its start tag is before it. */
const firstElement = 4_096;

/** With a deployment id, Next.js 16 says that and no build: in a header of payloads, and in a document's first element. */
function readDeployment({ responseHeaders }: ExchangeFacts, html: string | undefined): string | undefined {
  const start = html?.slice(0, firstElement) ?? '';
  return (
    responseHeaders['x-nextjs-deployment-id'] ?? /<html[^>]{0,1000}? data-dpl-id="([^"]{1,1000})"/.exec(start)?.[1]
  );
}

export function recogniseExchange(facts: ExchangeFacts, { payloads, html, source }: Found): Recognised {
  const { look, requestHeaders } = facts;
  const [first] = payloads;
  const app = first && describeApp(first.bytes);
  // React Router redirects a document with Flight as its body.
  const isRedirected =
    facts.method === 'GET' && facts.status >= 300 && facts.status < 400 && !isOfScript(requestHeaders);
  const isPage = html !== undefined || isRedirected || (first === undefined && isPageRequest(requestHeaders));
  const kind = findKind(facts, isPage, first !== undefined);
  const ofPage = html === undefined || app?.framework ? undefined : describePage(html, []).framework?.guess;
  const bySource = source === 'next' || source === 'tanstack-start' ? source : undefined;
  const framework = app?.framework?.guess ?? look.framework ?? bySource ?? ofPage ?? null;
  const elements = first && framework === 'waku' ? readWakuElements(first.bytes) : [];
  const ofTanstack =
    html !== undefined && framework === 'tanstack-start' ? readTanstackRoute(html, look.path) : undefined;
  const asked = findNextRoute(facts, kind);
  // An action's answer may bring another page: the one it redirects to, or the page for what was not found. The action is of its caller's.
  const ofAnswer = kind === 'action' && facts.status === 404 ? undefined : app?.route;
  const ofNext = kind === 'action' ? (asked ?? ofAnswer) : (ofAnswer ?? asked);
  const named = ofNext ?? ofTanstack;
  const build = app?.build === buildOfDeployments ? undefined : app?.build;
  return {
    kind,
    framework,
    path: look.path,
    route: (named ?? findRoute(elements, look.path)).slice(0, longestPath),
    app,
    build: build ?? readDeployment(facts, html),
    isDeployment: build === undefined,
    elements,
  };
}
