import { describeApp, describePage, type AppFacts, type Framework } from '#flight';

import type { StoredFlight } from '../../flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { findRoute } from '../../find-route.ts';
import { isPageRequest } from '../../watch/is-worth-watching.ts';
import { longestPath } from '../../watch/look-at-request.ts';
import type { Found } from './find-payloads.ts';
import { readNextTree } from './read-next-tree.ts';
import { readTanstackRoute } from './read-tanstack-route.ts';
import { readWakuElements } from './read-waku-elements.ts';

/** What a request and its answer were, from both and from the payload: what a sign does not show stays unknown. */
export type Recognised = {
  readonly kind: StoredFlight['kind'];
  readonly framework: Framework | null;
  /** The page's. */
  readonly path: string;
  /** The pattern where something says it, else the path. */
  readonly route: string;
  readonly app: AppFacts | undefined;
  /** Waku's parts of the page. */
  readonly elements: readonly string[];
};

function findKind({ method, look }: ExchangeFacts, isPage: boolean): StoredFlight['kind'] {
  if (look.kind !== null) return look.kind;
  if (method === 'POST') return 'action';
  return isPage ? 'document' : 'navigation';
}

/** A prefetch of a part of a page says by its address which page it is for. An action is called from the page at its address. */
function findNextRoute({ look, requestHeaders }: ExchangeFacts, kind: Recognised['kind']): string | undefined {
  if (look.framework !== 'next') return undefined;
  const tree = readNextTree(requestHeaders['next-router-state-tree']);
  return tree && (kind === 'action' || tree.hasRefetch) ? tree.route : undefined;
}

export function recogniseExchange(facts: ExchangeFacts, { payloads, html, source }: Found): Recognised {
  const { look, requestHeaders } = facts;
  const [first] = payloads;
  const app = first && describeApp(first.bytes);
  const isPage = html !== undefined || (first === undefined && isPageRequest(requestHeaders));
  const kind = findKind(facts, isPage);
  const ofPage = html === undefined || app?.framework ? undefined : describePage(html, []).framework?.guess;
  const bySource = source === 'next' || source === 'tanstack-start' ? source : undefined;
  const framework = app?.framework?.guess ?? look.framework ?? bySource ?? ofPage ?? null;
  const elements = first && framework === 'waku' ? readWakuElements(first.bytes) : [];
  const ofTanstack =
    html !== undefined && framework === 'tanstack-start' ? readTanstackRoute(html, look.path) : undefined;
  const named = app?.route ?? findNextRoute(facts, kind) ?? ofTanstack;
  return {
    kind,
    framework,
    path: look.path,
    route: (named ?? findRoute(elements, look.path)).slice(0, longestPath),
    app,
    elements,
  };
}
