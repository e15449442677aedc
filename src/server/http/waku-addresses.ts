/**
 * Waku's own addresses and headers: they are its to choose, and stand here once so that a change of its is one edit. Each
 * page has its HTML at its path and its payload at `/RSC/R/<path>.txt`; `/RSC/S/` has slices, `/RSC/F/` server actions,
 * which are answered at the page's path instead (src/runtime/middleware/page-actions.ts). The build of another app writes its own
 * values into the first two constants: src/waku/mount/vite.ts.
 */
/** The app's `basePath` without its last slash; of our own interface, where it is mounted: src/waku/mount/vite.ts. */
const wakuBase: string = '';
/** The app's `rscBase`: what its own addresses for payloads, slices and actions begin with. */
const rscBase: string = 'RSC';

/** Of the app that is built. */
export const appHomePath = `${wakuBase}/`;

export const flightPrefix = `${wakuBase}/${rscBase}/`;
export const payloadPrefix = `${flightPrefix}R/`;
export const slicePrefix = `${flightPrefix}S/`;
export const actionPrefix = `${flightPrefix}F/`;
/** Waku drops one leading `_` before it looks, so both spellings would reach an action. */
export const actionPattern = /* @__PURE__ */ new RegExp(`^${flightPrefix.replaceAll(/[^\w/]/g, '\\$&')}_?F/`);
/** Of a whole URL, below any path: the proxy forwards apps whose `basePath` it does not know. */
export const flightUrlPattern = /* @__PURE__ */ new RegExp(
  `^https?://[^/]+/(?:[^?]*/)?${rscBase.replaceAll(/[^\w/]/g, '\\$&')}/`,
);

/** Below it are the files that the bundler named after their content: they never change. */
export const assetPrefix = `${wakuBase}/assets/`;

/** The route that an action renders again. */
export const actionRouteHeader = 'x-waku-action-location';
/** Which parts of a page the browser has already. */
export const etagsHeader = 'x-waku-etags';
/** The same of Waku 0.27. Its client sends the same for a link in view as for a click. */
export const skipHeader = 'x-waku-router-skip';

/**
 * `/lab/slow` → `/RSC/R/lab/slow.txt`, `/` → `/RSC/R/_root.txt`, `/_flight/` → `/RSC/R/__flight.txt`: the router drops a page's
 * last slash, and doubles an underscore where `_root` begins or where its own mark of an end would stand.
 */
export function toPayloadPath(pagePath: string): string {
  const page = pagePath.replace(/\/$/, '').slice(1);
  const name = page === '' ? '_root' : page.startsWith('_') ? `_${page}` : page;
  return `${payloadPrefix}${name}${name.endsWith('_') ? '_' : ''}.txt`;
}

/** The way back; other paths are returned as they are. */
export function fromPayloadPath(path: string): string {
  if (!path.startsWith(payloadPrefix) || !path.endsWith('.txt')) return path;
  const name = path.slice(payloadPrefix.length, -'.txt'.length).replace(/_$/, '');
  if (name === '_root') return '/';
  return `/${name.startsWith('__') ? name.slice(1) : name}`;
}
