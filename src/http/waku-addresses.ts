/**
 * Waku's own addresses and headers: they are its to choose, and stand here once so that a change of its is one edit. Each
 * page has its HTML at its path and its payload at `/RSC/R/<path>.txt`; `/RSC/S/` has slices, `/RSC/F/` server actions,
 * which are answered at the page's path instead (src/middleware/page-actions.ts).
 */
export const flightPrefix = '/RSC/';
export const payloadPrefix = `${flightPrefix}R/`;
export const slicePrefix = `${flightPrefix}S/`;
export const actionPrefix = `${flightPrefix}F/`;
/** Waku drops one leading `_` before it looks, so both spellings would reach an action. */
export const actionPattern = /^\/RSC\/_?F\//;

/** Below it are the files that the bundler named after their content: they never change. */
export const assetPrefix = '/assets/';

/** The route that an action renders again. */
export const actionRouteHeader = 'x-waku-action-location';
/** Which parts of a page the browser has already. */
export const etagsHeader = 'x-waku-etags';

/** `/lab/slow` → `/RSC/R/lab/slow.txt`, `/` → `/RSC/R/_root.txt` */
export function toPayloadPath(pagePath: string): string {
  return `${payloadPrefix}${pagePath === '/' ? '_root' : pagePath.slice(1)}.txt`;
}

/** The way back; other paths are returned as they are. */
export function fromPayloadPath(path: string): string {
  if (!path.startsWith(payloadPrefix) || !path.endsWith('.txt')) return path;
  const route = path.slice(payloadPrefix.length, -'.txt'.length);
  return route === '_root' ? '/' : `/${route}`;
}
