/**
 * Which answers may carry Flight. Most requests of a page are for its files: those are told by their method, the browser's own word for
 * what it will do with them, the headers of a framework, and last by their name, before anything is kept. A page may be named like a file
 * (`/item/three.js`); where nothing else is said, the media type of the answer decides.
 */

/** What a browser says it loads (`Sec-Fetch-Dest`) when it is no file: a page, or whatever a script asks for. */
const destinations = new Set(['document', 'iframe', 'frame', 'fencedframe', 'empty', '']);

/** A page, whatever it is named. */
const pageDestinations = new Set(['document', 'iframe', 'frame', 'fencedframe']);
/** By these a framework's client asks for Flight. */
const flightHeaders = ['rsc', 'next-action', 'x-rsc-action', 'rsc-action-id'];

const fileName =
  /\.(?:m?js|css|map|json|png|jpe?g|gif|webp|avif|svg|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|pdf|zip|gz|wasm|webmanifest|xml)$/i;
/** Files without such a name: pictures that Next.js made smaller, modules of Vite's development server. */
const filePrefix = /^\/(?:_next\/(?:static|image)|@vite|@fs|@id|node_modules)\b/;

/** A script or a style sheet, which a build names by what is in it. */
const builtFile = /\.(?:m?js|css)$/i;

/** Endpoints of an app's own have the last three: of those only failures are kept. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function withoutQuery(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? target : target.slice(0, at);
}

export function isWorthWatching(method: string, target: string, headers: Readonly<Record<string, string>>): boolean {
  if (!methods.has(method)) return false;
  const destination = headers['sec-fetch-dest'] ?? '';
  if ('upgrade' in headers || !destinations.has(destination)) return false;
  const path = withoutQuery(target);
  if (filePrefix.test(path)) return false;
  return !fileName.test(path) || pageDestinations.has(destination) || asksForFlight(headers);
}

function asksForFlight(headers: Readonly<Record<string, string>>): boolean {
  return flightHeaders.some((name) => name in headers) || /text\/(?:x-component|html)/.test(headers['accept'] ?? '');
}

/** Whether its answer says what it is: it is named like a file, and nothing else is known. */
export function isToldByAnswer(method: string, target: string, headers: Readonly<Record<string, string>>): boolean {
  return (
    method === 'GET' &&
    !('upgrade' in headers) &&
    destinations.has(headers['sec-fetch-dest'] ?? '') &&
    !filePrefix.test(withoutQuery(target))
  );
}

/** A page or a payload: of an answer to a request that was named like a file. */
export function isPageType(contentType: string | undefined): boolean {
  return /^(?:text\/(?:x-component|html)|application\/xhtml\+xml)\b/i.test(contentType ?? '');
}

/** After a deploy it may be gone, and a tab from before then asks for it in vain. */
export function isBuiltFile(method: string, target: string): boolean {
  return method === 'GET' && builtFile.test(withoutQuery(target));
}

/** Media types of Flight, of pages with Flight in them, and those under which frameworks also send Flight: text, and none. */
const mediaType = /^(?:text\/(?:x-component|html|plain)|application\/(?:xhtml\+xml|x-tss-framed))\b/i;

/** Decides by the type alone: a signed request is answered with Flight under any type that is not of a file. */
export function mayCarryFlight(contentType: string | undefined, isSigned: boolean): boolean {
  if (contentType === undefined || mediaType.test(contentType)) return true;
  return isSigned && !/^(?:image|font|audio|video)\/|^text\/(?:event-stream|css)|javascript/i.test(contentType);
}

/** A script asks, and what it does with the answer nobody sees. */
export function isOfScript(headers: Readonly<Record<string, string>>): boolean {
  return headers['sec-fetch-dest'] === 'empty';
}

/** Whether the answer is what a visitor sees in place of a page, whatever it is: a failure of it is worth knowing. */
export function isPageRequest(headers: Readonly<Record<string, string>>): boolean {
  if (isOfScript(headers)) return false;
  return headers['sec-fetch-dest'] === 'document' || (headers['accept'] ?? '').includes('text/html');
}
