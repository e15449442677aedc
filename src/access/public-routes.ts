import 'server-only';

import { faviconPath, loginPath } from '#src/server/http/addresses.ts';
import { assetPrefix, toPayloadPath } from '#src/server/http/waku-addresses.ts';

/**
 * What answers without a session. Everything else is the operator's: a page, a payload, a slice, an action, a
 * prerendered file, an address that does not exist. A new page is therefore closed until it is named here.
 *
 * Before this list is used, nine middlewares answer by themselves. Each has its own limits and passes nothing on: `/healthz` and
 * `/readyz`, the tunnel, `/csp-report`, `/feedback`, `/api/<app>/errors`, `/api/<project>/envelope/` with `/store/`, `/api/0/…`,
 * `/api/v1/…`, and the POSTs of `/login` and `/logout`.
 *
 * To open a page of yours to everybody, add its path exactly as in the address bar:
 * - `transports: ['document']` opens its HTML; going there from another page is then a document navigation;
 * - `['document', 'payload']` opens `/RSC/R/<path>.txt` too, and with it client navigation and prefetching. A payload
 *   holds everything that the page's server components rendered, and nothing more. The HTML holds the same.
 * It makes no difference whether a page is prerendered or rendered for each request. Paths with parameters cannot be
 * opened here: `/posts/[slug]` stands for as many addresses as there are posts, and a pattern would open addresses that
 * nobody has thought about.
 *
 * Its server actions stay closed, on purpose, and so does every method but GET and HEAD. The request names the action,
 * not the page. So letting strangers call one action means letting them try all. It also passes their bytes to React's
 * decoder, the part of the stack with the most security releases. A public form posts to a middleware that answers it
 * above `access` in `src/waku.server.tsx`, with limits, an Origin check and a parser of its own: `access/middleware/login.ts`
 * is one.
 */
export type PublicRoute =
  | {
      readonly kind: 'page';
      readonly path: string;
      readonly transports: readonly ('document' | 'payload')[];
    }
  /** A file of the build's public folder. */
  | { readonly kind: 'file'; readonly path: string }
  /** Files whose names the bundler made from their content: code and styles, the same for everybody. */
  | { readonly kind: 'hashed-files'; readonly folder: string };

const publicRoutes: readonly PublicRoute[] = [
  { kind: 'page', path: loginPath, transports: ['document'] },
  { kind: 'file', path: faviconPath },
  { kind: 'hashed-files', folder: assetPrefix },
];

/** One segment without an escape, so that no file system and no second decoder can read it as something else. */
const hashedName = /^[\w-]+(?:\.[\w-]+)+$/;

function opens(route: PublicRoute, pathname: string): boolean {
  switch (route.kind) {
    case 'page':
      return (
        (route.transports.includes('document') && pathname === route.path) ||
        (route.transports.includes('payload') && pathname === toPayloadPath(route.path))
      );
    case 'file':
      return pathname === route.path;
    case 'hashed-files':
      return pathname.startsWith(route.folder) && hashedName.test(pathname.slice(route.folder.length));
  }
}

/**
 * @param pathname as in the URL. A path is never decoded here, so another spelling of a public path is not public
 * @param routes for tests; the app always uses its own
 */
export function isPublic(method: string, pathname: string, routes = publicRoutes): boolean {
  return (method === 'GET' || method === 'HEAD') && routes.some((route) => opens(route, pathname));
}
