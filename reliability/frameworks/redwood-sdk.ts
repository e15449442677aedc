import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const page = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  kind: 'document',
  route: null,
  digests: 'none',
  body: /\(self\.__FLIGHT_DATA\|\|=\[\]\)\.push\(/,
} as const;

const flight = {
  status: 200,
  contentType: 'text/x-component; charset=utf-8',
  route: null,
  digests: 'none',
  body: /^0:\{"node":\[.*"actionResult":"\$undefined"\}$/m,
} as const;

const navigation = { ...flight, kind: 'navigation', requestHeaders: { 'x-prefetch': null } } as const;

const action = {
  ...flight,
  method: 'POST',
  target: /^\/act\?__rsc=&__rsc_action_id=/,
  // The path of the module and the name of the export, as they are.
  actionId: { from: 'target', shape: /__rsc_action_id=(%2Fsrc%2Factions\.js%23(?:greet|fail))$/ },
  kind: 'action',
} as const;

/** Of the local server in place of Cloudflare's: the message and the stack as text. */
const crash = { status: 500, contentType: 'text/plain;charset=UTF-8', digests: 'none', isHostsOwn: true } as const;

const exchanges: readonly ExpectedExchange[] = [
  { ...page, name: 'document', step: 'home', target: /^\/$/ },
  { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/ },
  { ...page, name: 'document-late-error', step: 'document-late', target: /^\/late$/, digests: 'empty' },
  { ...page, ...crash, name: 'document-error', step: 'document-boom', target: /^\/boom$/, body: /^Error: Boom/ },
  {
    ...flight,
    name: 'prefetch',
    step: 'home',
    target: /^\/blog\/third\?__rsc=$/,
    requestHeaders: { 'x-prefetch': /^true$/ },
    kind: 'prefetch',
  },
  { ...navigation, name: 'navigation-heavy', step: 'click-heavy', target: /^\/heavy\?__rsc=$/ },
  { ...navigation, name: 'navigation-dynamic', step: 'click-blog', target: /^\/blog\/first\?__rsc=$/ },
  { ...navigation, name: 'navigation-error', step: 'click-boom', target: /^\/boom\?__rsc=$/, digests: 'empty' },
  { ...navigation, name: 'navigation-late-error', step: 'click-late', target: /^\/late\?__rsc=$/, digests: 'empty' },
  { ...action, name: 'action', step: 'greet', body: /"actionResult":"Hello Ada"\}$/m },
  { ...action, ...crash, name: 'action-error', step: 'fail', body: /^Error: No greeting for Ada\n/ },
];

export const redwoodSdk: Framework = {
  name: 'redwood-sdk',
  sources: ['bare', 'redwood-sdk'],
  framework: 'redwood',
  start: ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--strictPort', '--port', '$PORT'],
  // No digest of its own: each one is empty.
  digest: /^$/,
  exchanges,
};
