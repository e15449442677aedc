import { describeApp, describePage, type AppFacts, type Framework } from '#flight';

import type { StoredFlight } from '../../flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { isPageRequest } from '../../watch/is-worth-watching.ts';
import type { Found } from './find-payloads.ts';
import { readNextTree } from './read-next-tree.ts';

/** What a request and its answer were, from both and from the payload: what a sign does not show stays unknown. */
export type Recognised = {
  readonly kind: StoredFlight['kind'];
  readonly framework: Framework | null;
  /** The page's. */
  readonly path: string;
  /** The pattern where something says it, else the path. */
  readonly route: string;
  readonly app: AppFacts | undefined;
};

function findKind({ method, look }: ExchangeFacts, isPage: boolean): StoredFlight['kind'] {
  if (look.kind !== null) return look.kind;
  if (method === 'POST') return 'action';
  return isPage ? 'document' : 'navigation';
}

/** A prefetch of a part of a page says by its address which page it is for. An action is called from the page at its address. */
function findRoute({ look, requestHeaders }: ExchangeFacts, kind: Recognised['kind'], path: string): string {
  if (look.framework !== 'next') return path;
  const tree = readNextTree(requestHeaders['next-router-state-tree']);
  return tree && (kind === 'action' || tree.hasRefetch) ? tree.route : path;
}

export function recogniseExchange(facts: ExchangeFacts, { payloads, html, source }: Found): Recognised {
  const { look, requestHeaders } = facts;
  const [first] = payloads;
  const app = first && describeApp(first.bytes);
  const isPage = html !== undefined || (first === undefined && isPageRequest(requestHeaders));
  const kind = findKind(facts, isPage);
  const ofPage = html === undefined || app?.framework ? undefined : describePage(html, []).framework?.guess;
  const bySource = source === 'next' || source === 'tanstack-start' ? source : undefined;
  return {
    kind,
    framework: look.framework ?? app?.framework?.guess ?? bySource ?? ofPage ?? null,
    path: look.path,
    route: app?.route ?? findRoute(facts, kind, look.path),
    app,
  };
}
