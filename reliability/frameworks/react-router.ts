import type { ExpectedExchange, Framework } from './expected-exchange.ts';

/** A hash of the module's name and the name of the export. */
const actionId = { from: 'rsc-action-id', shape: /^([0-9a-f]{12}#(?:greet|fail))$/ };

const page = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  kind: 'document',
  digests: 'none',
  body: /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\(/,
} as const;

/** The answer has no Content-Type at all. */
const flight = { status: 200, contentType: null, digests: 'none', body: /^0:\{"type":"render",/m } as const;

const navigation = { ...flight, kind: 'navigation', requestHeaders: { 'sec-purpose': null } } as const;

const action = {
  ...flight,
  method: 'POST',
  target: /^\/act$/,
  requestHeaders: { accept: /^text\/x-component$/ },
  actionId,
  kind: 'action',
  route: '/act',
  // The page comes along with the result.
  body: /^0:\{"type":"action","actionResult":"\$@1","rerender":"\$@2"\}\n/m,
} as const;

const exchanges: readonly ExpectedExchange[] = [
  { ...page, name: 'document-static', step: 'home', target: /^\/$/, route: '/' },
  {
    name: 'manifest',
    step: 'home',
    target: /^\/\.manifest\?paths=/,
    status: 200,
    contentType: 'text/x-component',
    // The client asks for the routes of the links that it shows.
    kind: 'slice',
    route: null,
    digests: 'none',
    body: /^0:\{"type":"manifest","patches":"\$@1"\}\n/,
  },
  {
    ...flight,
    name: 'prefetch',
    step: 'hover-third',
    target: /^\/blog\/third\.rsc$/,
    // Of `<link rel="prefetch">`, so the browser says it.
    requestHeaders: { 'sec-purpose': /^prefetch$/ },
    kind: 'prefetch',
    route: '/blog/:slug',
  },
  { ...navigation, name: 'navigation-heavy', step: 'click-heavy', target: /^\/heavy\.rsc$/, route: '/heavy' },
  {
    ...navigation,
    name: 'navigation-dynamic',
    step: 'click-blog',
    target: /^\/blog\/first\.rsc$/,
    route: '/blog/:slug',
  },
  { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/, route: '/blog/:slug' },
  {
    ...page,
    name: 'document-error',
    step: 'document-boom',
    target: /^\/boom$/,
    status: 500,
    route: '/boom',
    digests: 'empty',
  },
  {
    ...navigation,
    name: 'navigation-error',
    step: 'click-boom',
    target: /^\/boom\.rsc$/,
    route: '/boom',
    digests: 'empty',
  },
  { ...page, name: 'document-late-error', step: 'document-late', target: /^\/late$/, route: '/late', digests: 'empty' },
  {
    ...navigation,
    name: 'navigation-late-error',
    step: 'click-late',
    target: /^\/late\.rsc$/,
    route: '/late',
    digests: 'empty',
  },
  { ...action, name: 'action', step: 'greet' },
  { ...action, name: 'action-error', step: 'fail', digests: 'empty' },
  {
    ...page,
    name: 'action-of-form',
    step: 'send-form',
    method: 'POST',
    target: /^\/act$/,
    requestHeaders: { 'rsc-action-id': null, 'content-type': /^multipart\/form-data; boundary=/ },
    actionId: { from: 'body', shape: /name="\$ACTION_ID_([0-9a-f]{12}#greetByForm)"/ },
    kind: 'action',
    route: '/act',
  },
];

/** No digest of its own: without an `onError`, each one is empty. */
const digest = /^$/;

export const reactRouter8: Framework = {
  name: 'react-router-8',
  sources: ['react-router-8'],
  framework: 'react-router',
  start: ['node_modules/@react-router/serve/bin.cjs', 'build/server/index.js'],
  digest,
  exchanges,
};

export const reactRouter7: Framework = {
  name: 'react-router-7',
  sources: ['react-router-8', 'react-router-7'],
  framework: 'react-router',
  start: ['node_modules/@react-router/serve/dist/cli.js', 'build/server/index.js'],
  digest,
  exchanges,
};
