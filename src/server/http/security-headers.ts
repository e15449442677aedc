import { cspReportPath, mountPath } from './addresses.ts';
import { serverSettings } from './server-settings.ts';

/**
 * The headers by which every answer restricts the browser. Text from outside is rendered as text alone; should that fail
 * once, the content security policy still keeps a script from running that this server did not write.
 *
 * A document's policy names its own scripts: by a fresh nonce, or, where the page was rendered at build time, by hashes.
 * Anything else (payloads, JSON, files) may do nothing at all when it is opened as a document.
 */
const documentDirectives = [
  "default-src 'none'",
  // React writes `style` attributes, and the error page brings its one style sheet along.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ');

const dataPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `report-to` takes https addresses alone, and a browser that knows it does not look at `report-uri` beside it: over http
 * nobody would hear of anything.
 */
const reportDirectives = {
  http: `report-uri ${cspReportPath}`,
  https: `report-uri ${cspReportPath}; report-to csp`,
};

/** The features that browsers know, without those that this app uses: writing to the clipboard. */
const featuresDenied = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

const headersOfAll: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  // Not `no-referrer`: it makes the browser send `Origin: null` with a form, which is refused.
  ['referrer-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['x-frame-options', 'DENY'],
];

const headersOfDocuments: readonly (readonly [string, string])[] = [
  ['cross-origin-opener-policy', 'same-origin'],
  ['origin-agent-cluster', '?1'],
  ['permissions-policy', featuresDenied.map((feature) => `${feature}=()`).join(', ')],
];

/**
 * A year, the least that browsers' preload lists take. Not for subdomains: they may be other people's. Not where the interface is
 * mounted in another app: the rule is for a whole host, which is the app's.
 */
const transportSecurity = 'max-age=31536000';

function isSecure(): boolean {
  return serverSettings().baseUrl?.protocol === 'https:';
}

/** @param scriptSources what may run beside the files of this origin: `'nonce-…'`, or hashes */
export function createDocumentPolicy(scriptSources: string): string {
  return `script-src 'self' ${scriptSources}; ${documentDirectives}; ${reportDirectives[isSecure() ? 'https' : 'http']}`;
}

function isDocument(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}

/**
 * What restricts the browser for this one answer. A refusal has no more than this: on the proxy's port it is an answer of
 * another app's origin, and that origin's rule about TLS is not ours to make.
 * @param nonce see `setSecurityHeaders`
 */
export function restrictAnswer(headers: Headers, nonce: string): void {
  for (const [name, value] of headersOfAll) headers.set(name, value);
  if (isDocument(headers)) for (const [name, value] of headersOfDocuments) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store');
  if (headers.has('content-security-policy')) return;
  if (!isDocument(headers)) headers.set('content-security-policy', dataPolicy);
  else if (nonce) headers.set('content-security-policy', createDocumentPolicy(`'nonce-${nonce}'`));
}

/**
 * Completes the headers of any answer. A policy and a cache rule that are there already stay: files bring their own.
 * @param nonce of the document's scripts; empty for a document without a policy, which is dev's: Vite writes scripts into
 *   pages that no nonce reaches
 */
export function setSecurityHeaders(headers: Headers, nonce: string): void {
  restrictAnswer(headers, nonce);
  if (!isSecure()) return;
  if (mountPath === '') headers.set('strict-transport-security', transportSecurity);
  if (isDocument(headers)) headers.set('reporting-endpoints', `csp="${cspReportPath}"`);
}
