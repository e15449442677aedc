import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const page = { status: 200, contentType: 'text/html; charset=utf-8', kind: 'document', digests: 'none' } as const;
const flight = { status: 200, contentType: 'text/x-component', digests: 'none' } as const;

const navigation = {
  ...flight,
  kind: 'navigation',
  requestHeaders: { rsc: /^1$/, 'next-router-prefetch': null, 'next-router-state-tree': /^\["",/ },
} as const;

const treePrefetch = { rsc: /^1$/, 'next-router-prefetch': /^1$/, 'next-router-segment-prefetch': /^\/_tree$/ };

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
    requestHeaders: { 'next-action': /^[0-9a-f]{42}$/ },
    actionId: /^[0-9a-f]{42}$/,
    kind: 'action',
    route: '/act',
  },
  {
    ...flight,
    name: 'action-error',
    step: 'fail',
    method: 'POST',
    target: /^\/act$/,
    requestHeaders: { 'next-action': /^[0-9a-f]{42}$/ },
    actionId: /^[0-9a-f]{42}$/,
    status: 500,
    kind: 'action',
    route: '/act',
    digests: 'shown',
  },
];

export const next16: Framework = {
  name: 'next-16',
  framework: 'next',
  start: ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', '$PORT'],
  digest: /^\d{1,10}(@E\d+)?$/,
  exchanges: [
    ...common,
    {
      ...flight,
      name: 'prefetch-tree',
      step: 'home',
      target: /^\/blog\/first\?_rsc=/,
      requestHeaders: treePrefetch,
      kind: 'prefetch',
      route: '/blog/[slug]',
    },
    {
      ...flight,
      name: 'prefetch-segment',
      step: 'home',
      target: /^\/act\?_rsc=/,
      requestHeaders: { ...treePrefetch, 'next-router-segment-prefetch': /^\/act\/__PAGE__$/ },
      kind: 'prefetch',
      route: '/act',
    },
    {
      ...flight,
      name: 'prefetch-head',
      step: 'home',
      target: /^\/blog\/first\?_rsc=/,
      requestHeaders: { 'next-router-prefetch': /^1$/, 'next-router-state-tree': /"metadata-only"/ },
      kind: 'prefetch',
      route: '/blog/[slug]',
    },
  ],
};
