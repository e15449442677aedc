import 'server-only';

import type { RefusalCode } from './refusals.ts';

/** What must be true of a request before any of its body is decoded. `detail` is for the log. */
export type Refused = { readonly code: RefusalCode; readonly detail: string };

/** 1 MiB on the wire, as Next.js allows (`serverActions.bodySizeLimit`), so that forms move over unchanged. */
const bodyLimit = 1024 * 1024;
/** React's decoder had quadratic scans over fields (GHSA-h3gv-c5rc-p453). No form made for people has a thousand. */
const fieldLimit = 1000;

/**
 * A browser names the page's origin in every POST. It has to be this server's, or the same host with `https`, which is
 * what a proxy that ends TLS makes of it. Refused: `null` (a sandboxed frame, or a page whose policy is
 * `Referrer-Policy: no-referrer`), and a `Sec-Fetch-Site` of another site or another subdomain. A request without
 * `Origin` must at least say `Sec-Fetch-Site: same-origin` or `none`; a script that is no browser names the origin.
 */
export function checkOrigin(request: Request): Refused | undefined {
  const site = request.headers.get('sec-fetch-site');
  const isOwnSite = site === 'same-origin' || site === 'none';
  if (site !== null && !isOwnSite) return { code: 'wrong-origin', detail: `Sec-Fetch-Site: ${site}` };
  const origin = request.headers.get('origin');
  if (origin === null) {
    return isOwnSite ? undefined : { code: 'wrong-origin', detail: 'neither Origin nor Sec-Fetch-Site' };
  }
  const { protocol, host } = new URL(request.url);
  const isOwn = origin === `${protocol}//${host}` || (protocol === 'http:' && origin === `https://${host}`);
  return isOwn ? undefined : { code: 'wrong-origin', detail: `Origin: ${origin}` };
}

export function checkDeclaredLength(request: Request): Refused | undefined {
  const declared = request.headers.get('content-length');
  if (declared === null || Number(declared) <= bodyLimit) return undefined;
  return { code: 'too-large', detail: `Content-Length: ${declared}` };
}

/**
 * The body, never more than the limit of it in memory: a longer one is cancelled where it passes the limit. Node's
 * parser ends a body at its declared length, so only an undeclared one has to be counted while it arrives.
 */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | Refused> {
  try {
    if (request.headers.has('content-length')) return new Uint8Array(await request.arrayBuffer());
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > bodyLimit) return { code: 'too-large', detail: `more than ${bodyLimit} bytes, undeclared` };
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    return { code: 'malformed-request', detail: error instanceof Error ? error.message : 'the body ended early' };
  }
}

export function isMultipart(request: Request): boolean {
  return request.headers.get('content-type')?.toLowerCase().startsWith('multipart/form-data') ?? false;
}

/** Counts the delimiters between a multipart body's fields, without decoding anything. */
export function checkFieldCount(body: Uint8Array<ArrayBuffer>, contentType: string): Refused | undefined {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (!delimiter) return { code: 'malformed-request', detail: 'multipart without a boundary' };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // One delimiter more than fields: the last one ends the body.
  let fields = -1;
  for (let at = bytes.indexOf(`--${delimiter}`); at !== -1; at = bytes.indexOf(`--${delimiter}`, at + 1)) {
    fields += 1;
    if (fields > fieldLimit) return { code: 'too-many-fields', detail: `more than ${fieldLimit} fields` };
  }
  return undefined;
}
