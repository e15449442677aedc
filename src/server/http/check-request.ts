import { splitUrl } from './request-url.ts';
import type { ErrorCode } from './error-codes.ts';

/** What must be true of a request before any of its body is decoded. `detail` is for the log. */
export type Refused = { readonly code: ErrorCode; readonly detail: string };

/** 1 MiB on the wire, as Next.js allows (`serverActions.bodySizeLimit`), so that forms move over unchanged. */
export const bodyLimit = 1024 * 1024;
export type BodyLimit = { readonly bytes: number; readonly code: ErrorCode };

/** React's decoder had quadratic scans over fields (GHSA-h3gv-c5rc-p453). No form made for people has a thousand. */
const fieldLimit = 1000;

/**
 * True for this server's own origin, or the same host with `https`: behind a proxy that ends TLS the page has `https` and
 * the request here has not. In a build the host has compared both with this server's names
 * (src/server/adapter/check-request-head.ts).
 * @param publicOrigin inside another app, whose proxy may write a name of its own into `Host`: the origin that people use, where
 * the operator has named it
 */
export function isOwnOrigin(origin: string, url: string, publicOrigin?: string): boolean {
  const own = splitUrl(url).origin;
  return (
    origin === own ||
    origin === publicOrigin ||
    (own.startsWith('http:') && origin === `https:${own.slice('http:'.length)}`)
  );
}

/**
 * A browser names the page's origin in every POST, and it has to be this server's. Refused: `null` (a sandboxed frame, or a page whose
 * policy is `Referrer-Policy: no-referrer`), and a `Sec-Fetch-Site` of another site or another subdomain. A request without `Origin` must
 * at least say `Sec-Fetch-Site: same-origin` or `none`; a script that is no browser names the origin.
 * @param publicOrigin as for `isOwnOrigin`
 */
export function checkOrigin(request: Request, publicOrigin?: string): Refused | undefined {
  const site = request.headers.get('sec-fetch-site');
  const isOwnSite = site === 'same-origin' || site === 'none';
  if (site !== null && !isOwnSite) return { code: 'wrong-origin', detail: `Sec-Fetch-Site: ${site}` };
  const origin = request.headers.get('origin');
  if (origin === null) {
    return isOwnSite ? undefined : { code: 'wrong-origin', detail: 'neither Origin nor Sec-Fetch-Site' };
  }
  const isOwn = isOwnOrigin(origin, request.url, publicOrigin);
  return isOwn ? undefined : { code: 'wrong-origin', detail: `Origin: ${origin}` };
}

/** @param limit a body's most bytes, and the code for one that has more */
export function checkDeclaredLength(request: Request, { bytes, code }: BodyLimit): Refused | undefined {
  const declared = request.headers.get('content-length');
  if (declared === null || Number(declared) <= bytes) return undefined;
  return { code, detail: `Content-Length: ${declared}` };
}

/** Media types are compared without their case (RFC 9110, 8.3.1). */
export function isMultipart(contentType: string | null): boolean {
  return contentType?.toLowerCase().startsWith('multipart/form-data') ?? false;
}

/** One `; name=value` or `; name="value"`, as RFC 9110 (5.6.6) spells a parameter, without escapes. */
const parameterPattern = /\s*;\s*([^\s"=;,]+)=(?:"([^"\\]*)"|([^\s"=;,]+))\s*/y;
/** RFC 2046, 5.1.1. */
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/**
 * The boundary of a multipart body. Two parsers that find different boundaries would see different fields. So a header
 * that can be read in two ways is refused, and the next parser gets the header that `toMultipartType` writes.
 */
export function readBoundary(contentType: string): string | Refused {
  const boundaries: string[] = [];
  parameterPattern.lastIndex = 'multipart/form-data'.length;
  while (parameterPattern.lastIndex < contentType.length) {
    const parameter = parameterPattern.exec(contentType);
    if (!parameter) return { code: 'malformed-request', detail: 'a Content-Type that cannot be read' };
    const [, name = '', quoted, token] = parameter;
    if (name.toLowerCase() === 'boundary') boundaries.push(quoted ?? token ?? '');
  }
  const [boundary] = boundaries;
  if (boundary === undefined) return { code: 'malformed-request', detail: 'multipart without a boundary' };
  if (boundaries.length > 1) return { code: 'malformed-request', detail: 'multipart with two boundaries' };
  return boundaryPattern.test(boundary) ? boundary : { code: 'malformed-request', detail: 'not a boundary' };
}

/** Writes the type in the one spelling that every parser understands: Waku does not take `Multipart/Form-Data` for a form. */
export function toMultipartType(boundary: string): string {
  return `multipart/form-data; boundary="${boundary}"`;
}

/** Counts the delimiters between a multipart body's fields, without decoding anything. */
export function checkDelimiterCount(body: Uint8Array<ArrayBuffer>, boundary: string): Refused | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = `--${boundary}`;
  // One delimiter more than fields: the last one ends the body.
  let fields = -1;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    fields += 1;
    if (fields > fieldLimit) return { code: 'too-many-fields', detail: `more than ${fieldLimit} fields` };
  }
  return undefined;
}

/** Counted again when the form is decoded: React's decoder never gets more, however this decoder found them. */
export function checkFieldCount(form: FormData): Refused | undefined {
  const fields = Array.from(form.keys()).length;
  return fields > fieldLimit ? { code: 'too-many-fields', detail: `${fields} fields` } : undefined;
}
