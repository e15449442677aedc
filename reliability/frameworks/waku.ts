import type { Framework } from './expected-exchange.ts';

const page = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  kind: 'document',
  digests: 'none',
  body: /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\(/,
} as const;

const flight = { status: 200, contentType: 'text/plain; charset=UTF-8', digests: 'none' } as const;

/** The client names what it has already. A navigation comes from a page, so there is something. */
const navigation = {
  ...flight,
  kind: 'navigation',
  requestHeaders: { 'x-waku-etags': /^\{"/ },
  body: /^0:\{"page:\//m,
} as const;

/** A hash of the module's name and the name of the export, with slashes. */
const actionId = { from: 'target', shape: /^\/RSC\/F\/([0-9a-f]{12}\/(?:greet|fail))\.txt$/ };

const action = {
  method: 'POST',
  target: /^\/RSC\/F\//,
  requestHeaders: { 'x-waku-action-location': /^\/act$/ },
  actionId,
  kind: 'action',
  route: null,
} as const;

export const waku: Framework = {
  name: 'waku',
  sources: ['waku'],
  framework: 'waku',
  start: ['node_modules/waku/cli.js', 'start'],
  // No digest of its own: without an `onError`, each one is empty.
  digest: /^$/,
  exchanges: [
    { ...page, name: 'document', step: 'home', target: /^\/$/, route: '/' },
    {
      ...flight,
      name: 'slice',
      step: 'home',
      target: /^\/RSC\/S\/clock\.txt$/,
      kind: 'slice',
      route: null,
      body: /^0:\{"slice:clock":/,
    },
    {
      ...flight,
      name: 'prefetch',
      step: 'hover-third',
      target: /^\/RSC\/R\/blog\/third\.txt\?query=$/,
      requestHeaders: { 'x-waku-etags': /^\{\}$/ },
      kind: 'prefetch',
      route: '/blog/[slug]',
    },
    {
      ...navigation,
      name: 'navigation-heavy',
      step: 'click-heavy',
      target: /^\/RSC\/R\/heavy\.txt\?query=$/,
      route: '/heavy',
    },
    {
      ...navigation,
      name: 'navigation-dynamic',
      step: 'click-blog',
      target: /^\/RSC\/R\/blog\/first\.txt\?query=$/,
      route: '/blog/[slug]',
      body: /^0:\{"page:\/blog\/\[slug\]":/m,
    },
    {
      ...navigation,
      name: 'navigation-static',
      step: 'click-about',
      target: /^\/RSC\/R\/about\.txt\?query=$/,
      // A file that the build made.
      contentType: 'text/plain; charset=utf-8',
      route: '/about',
      body: /"IS_STATIC":true/,
    },
    { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/, route: '/blog/[slug]' },
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
      target: /^\/RSC\/R\/boom\.txt\?query=$/,
      route: '/boom',
      digests: 'empty',
    },
    {
      ...page,
      name: 'document-late-error',
      step: 'document-late',
      target: /^\/late$/,
      route: '/late',
      digests: 'empty',
    },
    {
      ...navigation,
      name: 'navigation-late-error',
      step: 'click-late',
      target: /^\/RSC\/R\/late\.txt\?query=$/,
      route: '/late',
      digests: 'empty',
    },
    { ...flight, ...action, name: 'action', step: 'greet', body: /"_value":"Hello Ada"/ },
    {
      ...action,
      name: 'action-error',
      step: 'fail',
      status: 500,
      // Nothing of the error is sent. The client makes its own: `__WAKU_CUSTOM_ERROR__;{"status":500}`.
      contentType: null,
      digests: 'none',
      content: 'none',
      body: /^Internal Server Error$/,
    },
    {
      ...page,
      name: 'action-of-form',
      step: 'send-form',
      method: 'POST',
      target: /^\/act$/,
      requestHeaders: { 'x-waku-action-location': null, 'content-type': /^multipart\/form-data; boundary=/ },
      actionId: { from: 'body', shape: /name="\$ACTION_ID_([0-9a-f]{12}#greetByForm)"/ },
      kind: 'action',
      route: '/act',
    },
  ],
};
