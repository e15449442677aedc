import type { ExpectedExchange, Framework } from './expected-exchange.ts';

const page = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  kind: 'document',
  digests: 'none',
  // The payload comes in the pushes of a stream of the framework's own: a letter, then the bytes as text.
  body: /\.next\("t[0-9a-f]+:/,
} as const;

/** A hash. The module and the name are not told. */
const functionId = { from: 'target', shape: /^\/_serverFn\/([0-9a-f]{64})(?:\?|$)/ };

/** A server function whose result has a payload. The address names the function; the page is in `Referer` alone. */
const call = {
  status: 200,
  contentType: 'application/x-tss-framed; v=1',
  requestHeaders: { 'x-tsr-serverfn': /^true$/ },
  target: /^\/_serverFn\/[0-9a-f]{64}$/,
  kind: 'navigation',
  route: null,
  digests: 'none',
  // Frames: one of JSON, which says where the payload belongs, then those of the payload.
  body: /"tss\/RawStream"[^]*"__tanstackStartRscValue":/,
} as const;

const callOfPost = { ...call, target: /^\/_serverFn\/[0-9a-f]{64}\?payload=/ } as const;

const action = {
  method: 'POST',
  status: 200,
  contentType: 'application/json',
  requestHeaders: { 'x-tsr-serverfn': /^true$/ },
  target: /^\/_serverFn\/[0-9a-f]{64}$/,
  actionId: functionId,
  kind: 'action',
  route: null,
  digests: 'none',
  content: 'none',
} as const;

const exchanges: readonly ExpectedExchange[] = [
  // A page without a server component: no Flight in it.
  {
    ...page,
    name: 'document-without-flight',
    step: 'home',
    target: /^\/$/,
    route: null,
    body: /\$_TSR\.router=/,
    content: 'none',
  },
  { ...page, name: 'document-dynamic', step: 'document-blog', target: /^\/blog\/second$/, route: '/blog/$slug' },
  { ...page, name: 'document-error', step: 'document-boom', target: /^\/boom$/, route: '/boom', digests: 'empty' },
  { ...page, name: 'document-late-error', step: 'document-late', target: /^\/late$/, route: '/late', digests: 'empty' },
  // Nothing tells this one from a navigation.
  { ...callOfPost, name: 'prefetch-without-a-sign', step: 'hover-third' },
  { ...call, name: 'navigation-heavy', step: 'click-heavy' },
  { ...callOfPost, name: 'navigation-dynamic', step: 'click-blog' },
  { ...call, name: 'navigation-error', step: 'click-boom', digests: 'empty' },
  { ...call, name: 'navigation-late-error', step: 'click-late', digests: 'empty' },
  { ...action, name: 'action', step: 'greet', body: /^\{"t":10,.*"s":"Hello Ada"/ },
  // No digest: the message itself is sent, in production, too.
  { ...action, name: 'action-error', step: 'fail', body: /"s":"No greeting for Ada"\}\},"c":"\$TSR\/Error"/ },
];

export const tanstackStart: Framework = {
  name: 'tanstack-start',
  sources: ['tanstack-start'],
  framework: 'tanstack-start',
  start: [
    'node_modules/srvx/bin/srvx.mjs',
    'serve',
    '--prod',
    '--host=127.0.0.1',
    '--port=$PORT',
    '--static=../client',
    '--entry=dist/server/server.js',
  ],
  // No digest of its own: without an `onError`, each one is empty.
  digest: /^$/,
  exchanges,
};
