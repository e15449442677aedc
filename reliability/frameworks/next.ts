import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const page = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  kind: 'document',
  digests: 'none',
  body: /self\.__next_f\.push\(\[1,"/,
} as const;
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
  if (exchange.name === 'document-error') return { ...exchange, status: 200 };
  // What the build made is complete.
  if (exchange.name === 'navigation-static') return { ...exchange, body: /^#[0-9a-f]+:/ };
  return exchange;
}

/** A hash: 40 digits in Next.js 14. Since 15 there are two before it, which say which arguments are used. */
const actionId = { from: 'next-action', shape: /^([0-9a-f]{40,42})$/ };

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
    actionId,
    status: 500,
    kind: 'action',
    route: '/act',
    digests: 'shown',
  },
  // Without JavaScript: the name of the action is a field of the form, and the answer is the page.
  {
    ...page,
    name: 'action-of-form',
    step: 'send-form',
    method: 'POST',
    target: /^\/act$/,
    requestHeaders: { 'next-action': null, 'content-type': /^multipart\/form-data; boundary=/ },
    actionId: { from: 'body', shape: /name="\$ACTION_ID_([0-9a-f]{40,42})"/ },
    kind: 'action',
    route: '/act',
  },
];

const navigationStatic: ExpectedExchange = {
  ...navigation,
  name: 'navigation-static',
  step: 'click-about',
  target: /^\/about\?_rsc=/,
  route: '/about',
};

const next16Exchanges: readonly ExpectedExchange[] = [
  ...common,
  navigationStatic,
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

/** Before 16, one request for each link: the whole payload of a static page, and of another the tree down to it. */
const earlierExchanges: readonly ExpectedExchange[] = [
  ...common,
  navigationStatic,
  { ...prefetch, name: 'prefetch-dynamic', step: 'home', target: /^\/blog\/first\?_rsc=/, route: '/blog/[slug]' },
  { ...prefetch, name: 'prefetch-static', step: 'home', target: /^\/act\?_rsc=/, route: '/act' },
];

const start = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', '$PORT'];
/** A hash of 32 bits in decimal digits, and for Next's own errors their code behind it. */
const digest = /^\d{1,10}(@E\d+)?$/;

export const next16: Framework = {
  name: 'next-16',
  sources: ['next-16'],
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
  sources: ['next-16', 'next-16-cache'],
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
      body: /^#[0-9a-f]+:/,
      target: /^\/search\?q=rows&_rsc=/,
      route: '/search',
    },
    {
      ...runtimePrefetch,
      name: 'prefetch-runtime-partial',
      body: /^~[0-9a-f]+:/,
      target: /^\/heavy\?eager=1&_rsc=/,
      route: '/heavy',
    },
  ],
};

export const next15: Framework = {
  name: 'next-15',
  sources: ['next-16', 'next-15'],
  framework: 'next',
  start,
  digest,
  exchanges: earlierExchanges,
};

export const next14: Framework = {
  name: 'next-14',
  sources: ['next-16', 'next-14'],
  framework: 'next',
  start,
  digest,
  exchanges: earlierExchanges,
};
