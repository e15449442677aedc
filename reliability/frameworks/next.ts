import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const page = { status: 200, contentType: 'text/html; charset=utf-8', kind: 'document', digests: 'none' } as const;
const flight = { status: 200, contentType: 'text/x-component', digests: 'none' } as const;

const navigation = {
  ...flight,
  kind: 'navigation',
  requestHeaders: { rsc: /^1$/, 'next-router-prefetch': null, 'next-router-state-tree': /^\["",/ },
} as const;

const prefetch = {
  ...flight,
  kind: 'prefetch',
  requestHeaders: { rsc: /^1$/, 'next-router-prefetch': /^1$/ },
} as const;

/** With `partialPrefetching`, of a link with `prefetch`. The payload has a byte before it: `#` complete, `~` partial. */
const runtimePrefetch = {
  ...flight,
  kind: 'prefetch',
  step: 'home',
  requestHeaders: { rsc: /^1$/, 'next-router-prefetch': /^2$/, 'next-router-segment-prefetch': null },
} as const;

/** With `cacheComponents`, the shell of a page is made by the build: an error in the rest comes after it. */
function keepShell(exchange: ExpectedExchange): ExpectedExchange {
  return exchange.name === 'document-error' ? { ...exchange, status: 200 } : exchange;
}

/** The name of the server action. The client sends nothing else that names it. */
const actionId = /^[0-9a-f]{42}$/;

/** What every version from 14 on sends in the same way. */
const common: readonly ExpectedExchange[] = [
  { ...page, name: 'document-static', step: 'home', target: /^\/$/, route: '/' },
  { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/, route: '/blog/[slug]' },
  { ...navigation, name: 'navigation-heavy', step: 'click-heavy', target: /^\/heavy\?_rsc=/, route: '/heavy' },
  { ...navigation, name: 'navigation-dynamic', step: 'click-blog', target: /^\/blog\/first\?/, route: '/blog/[slug]' },
  {
    ...page,
    name: 'document-error',
    step: 'document-boom',
    target: /^\/boom$/,
    status: 500,
    route: '/boom',
    digests: 'shown',
  },
  {
    ...navigation,
    name: 'navigation-error',
    step: 'click-boom',
    target: /^\/boom\?_rsc=/,
    route: '/boom',
    digests: 'shown',
  },
  {
    ...page,
    name: 'document-late-error',
    step: 'document-late',
    target: /^\/late$/,
    route: '/late',
    digests: 'shown',
  },
  {
    ...navigation,
    name: 'navigation-late-error',
    step: 'click-late',
    target: /^\/late\?_rsc=/,
    route: '/late',
    digests: 'shown',
  },
  {
    ...flight,
    name: 'action',
    step: 'greet',
    method: 'POST',
    target: /^\/act$/,
    requestHeaders: { 'next-action': actionId },
    actionId,
    kind: 'action',
    route: '/act',
  },
  {
    ...flight,
    name: 'action-error',
    step: 'fail',
    method: 'POST',
    target: /^\/act$/,
    requestHeaders: { 'next-action': actionId },
    actionId,
    status: 500,
    kind: 'action',
    route: '/act',
    digests: 'shown',
  },
];

const next16Exchanges: readonly ExpectedExchange[] = [
  ...common,
  {
    ...navigation,
    name: 'navigation-static',
    step: 'click-about',
    target: /^\/about\?_rsc=/,
    route: '/about',
  },
  {
    ...prefetch,
    name: 'prefetch-tree',
    step: 'home',
    target: /^\/blog\/first\?_rsc=/,
    requestHeaders: { ...prefetch.requestHeaders, 'next-router-segment-prefetch': /^\/_tree$/ },
    route: '/blog/[slug]',
  },
  {
    ...prefetch,
    name: 'prefetch-segment',
    step: 'home',
    target: /^\/act\?_rsc=/,
    requestHeaders: { ...prefetch.requestHeaders, 'next-router-segment-prefetch': /^\/act\/__PAGE__$/ },
    route: '/act',
  },
];

const start = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', '$PORT'];
/** A hash of 32 bits in decimal digits, and for Next's own errors their code behind it. */
const digest = /^\d{1,10}(@E\d+)?$/;

export const next16: Framework = {
  name: 'next-16',
  framework: 'next',
  start,
  digest,
  exchanges: [
    ...next16Exchanges,
    {
      ...prefetch,
      name: 'prefetch-head',
      step: 'home',
      target: /^\/blog\/first\?_rsc=/,
      requestHeaders: { ...prefetch.requestHeaders, 'next-router-state-tree': /"metadata-only"/ },
      route: '/blog/[slug]',
    },
  ],
};

export const next16Cache: Framework = {
  name: 'next-16-cache',
  framework: 'next',
  start,
  digest,
  exchanges: [
    ...next16Exchanges.map(keepShell),
    {
      ...prefetch,
      name: 'prefetch-segment-dynamic',
      step: 'home',
      target: /^\/blog\/first\?_rsc=/,
      requestHeaders: { ...prefetch.requestHeaders, 'next-router-segment-prefetch': /^\/blog\/\$d\$slug\/__PAGE__$/ },
      route: '/blog/[slug]',
    },
    {
      ...runtimePrefetch,
      name: 'prefetch-runtime-complete',
      target: /^\/search\?q=rows&_rsc=/,
      route: '/search',
    },
    {
      ...runtimePrefetch,
      name: 'prefetch-runtime-partial',
      target: /^\/heavy\?eager=1&_rsc=/,
      route: '/heavy',
    },
  ],
};
