import { readNextTree } from '#flight';
import type { StoredFlight } from '../../flight/flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import type { Asked } from './open-document.ts';
import { readOrigin } from './read-origin.ts';

export type Page = Pick<StoredFlight, 'kind' | 'path'> & { readonly rendering?: StoredFlight['rendering'] };

/** Longer addresses are not compared. */
const longestKey = 500;

/** Routers that change the address when the page is there. Others do so before they ask. */
const clicksNameOrigin: ReadonlySet<string> = new Set(['next', 'react-router', 'waku']);

/** Without what Next.js adds for caches. */
export function readAddress({ target }: ExchangeFacts): string {
  return target.replace(/([?&])_rsc=[^&]*/, '$1').slice(0, longestKey);
}

export function readKey(facts: ExchangeFacts): string {
  const { requestHeaders: headers } = facts;
  return `${headers['next-router-prefetch'] ?? ''} ${headers['next-router-segment-prefetch'] ?? ''} ${readAddress(facts)}`;
}

export function readAsked(facts: ExchangeFacts, { kind, path }: Page): Asked {
  const origin = readOrigin(facts.requestHeaders);
  const isNavigation = kind === 'navigation';
  const tree = isNavigation ? readNextTree(facts.requestHeaders['next-router-state-tree']) : undefined;
  const hasFrame = origin !== path && (tree?.hasRefetch ?? false);
  const isReturn = isNavigation && origin === path && clicksNameOrigin.has(facts.look.framework ?? '');
  const key = kind === 'prefetch' ? readKey(facts) : undefined;
  return { origin, path, address: readAddress(facts), isNavigation, isReturn, hasFrame, key, at: facts.startedAt };
}

/** A click asks for the page all the same: it is rendered for each request. */
export function asksFrame({ requestHeaders, look }: ExchangeFacts, { rendering }: Page): boolean {
  return look.framework === 'next' && requestHeaders['next-router-prefetch'] === '1' && rendering === 'dynamic';
}
