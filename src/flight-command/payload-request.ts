import { createHash } from 'node:crypto';

import type { AppFacts, Framework } from '#flight';

import { payloadPrefix } from '#src/http/waku-addresses.ts';

import type { Header } from './arguments.ts';

/** How a framework's own client asks for the payload of a page when a visitor navigates to it. */
export type PayloadRequest = { readonly url: URL; readonly headers: readonly Header[] };

/**
 * The request for a page's payload; undefined for a framework whose client has none. Sources: fetch-server-response.ts in
 * next 16.4; client-core-utils/caches.js and rsc-path.js in waku 1.0.0-rc.1; singleFetchUrl in react-router 7.16; the
 * starters of @vitejs/plugin-rsc 0.5 and Parcel 2.16; client.js in rwsdk 1.7.
 */
export function makePayloadRequest(framework: Framework, page: URL): PayloadRequest | undefined {
  const url = new URL(page);
  url.hash = '';
  switch (framework) {
    case 'next':
      return askNext(url);
    case 'waku':
      url.search = new URLSearchParams({ query: url.search.slice(1) }).toString();
      url.pathname = `${payloadPrefix}${toWakuPath(url.pathname)}.txt`;
      return { url, headers: [] };
    case 'react-router':
      url.pathname += url.pathname.endsWith('/') ? '_.rsc' : '.rsc';
      return { url, headers: [] };
    case 'vite-rsc':
      url.pathname += '_.rsc';
      return { url, headers: [] };
    case 'redwood':
      url.searchParams.set('__rsc', '');
      return { url, headers: [] };
    case 'parcel':
      return { url, headers: [['Accept', 'text/x-component']] };
    case 'tanstack-start':
      return undefined;
  }
}

function toWakuPath(pathname: string): string {
  const path = pathname.slice(1).replace(/\/+$/, '');
  if (path === '') return '_root';
  return path.startsWith('_') ? `_${path}` : path;
}

/** What the client of a visitor on the home page sends: so the root layout, which it has, is not part of the answer. */
const stateTree = encodeURIComponent(JSON.stringify(['', { children: ['__PAGE__', {}] }]));

function askNext(url: URL): PayloadRequest {
  // The query must match the headers: Next 16 answers another one with a redirect to the right one, older ones ignore it.
  const rest = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^_rsc(?:=|$)/.test(pair));
  url.search = [...rest, `_rsc=${hashHeaders(['0', '0', stateTree, '0'])}`].join('&');
  return {
    url,
    headers: [
      ['RSC', '1'],
      ['Next-Router-State-Tree', stateTree],
    ],
  };
}

/** Prefetch, segment prefetch, state tree and URL, `0` for what is not sent: 12 bytes of SHA-256. */
function hashHeaders(values: readonly string[]): string {
  return createHash('sha256').update(values.join(',')).digest().subarray(0, 12).toString('base64url');
}

/** What a document says of its app, for its title. */
export function nameFacts({ framework, route }: Pick<AppFacts, 'framework' | 'route'>): string {
  return [framework?.guess ?? 'framework unknown', ...(route === undefined ? [] : [`route ${route}`])].join(', ');
}
