import 'server-only';

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AdmitFile, FilePass } from '#src/runtime/file-request.ts';
import { toRequestHeaders } from '#src/http/request-context.ts';
import { setSecurityHeaders } from '#src/http/security-headers.ts';

import { chooseVariant, completeHeaders, isKnown, type StaticFile, type Variant } from './static-files.ts';

/**
 * Sends a file of the build from memory, with headers that were put together once, when `admit` lets it: after the checks
 * of the request's head and before Hono, whose objects and header lists cost several times the answer itself.
 *
 * Only the plain case: a GET of exactly the file's path, as it stands in the request line, without a query. Everything
 * else, and whatever is not admitted, goes on to the middlewares and to `serveStaticFiles`.
 */
export type SendFile = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  address: () => string,
) => boolean | Promise<boolean>;

/** Characters that have one spelling in a URL: a path of these alone is the same decoded and as it came. */
const plainPath = /^\/[\w./-]*$/;

type Prepared = { readonly complete: readonly string[]; readonly notModified: readonly string[] };

/** Names and values in turn, as Node takes them without making an object. */
function prepare(file: StaticFile, variant: Variant): Prepared {
  const headers = new Headers(completeHeaders(file, variant));
  setSecurityHeaders(headers, '');
  const notModified = [...headers].flat();
  return { notModified, complete: [...notModified, 'content-length', String(variant.body.byteLength)] };
}

function write(
  outgoing: ServerResponse,
  variant: Variant,
  prepared: Prepared,
  pass: FilePass,
  ifNoneMatch: string | undefined,
): void {
  const { headers, onAnswered } = pass;
  const status = isKnown(ifNoneMatch, variant.headers['etag']) ? 304 : 200;
  if (status === 304) {
    outgoing.writeHead(status, [...prepared.notModified, ...headers]).end();
  } else {
    outgoing.writeHead(status, [...prepared.complete, ...headers]).end(variant.body);
  }
  onAnswered?.(status);
}

/** @param admit asked for each file; see its type */
export function createFileSender(files: ReadonlyMap<string, StaticFile>, admit: AdmitFile): SendFile {
  const sendable = new Map([...files].filter(([path]) => plainPath.test(path) && path !== '/404'));
  // When they are first asked for: the policy depends on settings that are read at the start.
  const prepared = new Map<Variant, Prepared>();

  function send(incoming: IncomingMessage, outgoing: ServerResponse, file: StaticFile, pass: FilePass): true {
    const { 'accept-encoding': encodings, 'if-none-match': ifNoneMatch } = incoming.headers;
    const variant = chooseVariant(file, typeof encodings === 'string' ? encodings : undefined);
    const known = prepared.get(variant) ?? prepare(file, variant);
    prepared.set(variant, known);
    write(outgoing, variant, known, pass, ifNoneMatch);
    return true;
  }

  return function sendFile(incoming, outgoing, address) {
    const { url: path = '' } = incoming;
    const file = incoming.method === 'GET' ? sendable.get(path) : undefined;
    if (!file) return false;
    const headers = toRequestHeaders(incoming.headers);
    const { prerendered } = file;
    const pass = admit({ path, headers, address: prerendered ? address() : '', prerendered, outgoing });
    if (!(pass instanceof Promise)) return pass ? send(incoming, outgoing, file, pass) : false;
    return pass.then((admitted) => (admitted ? send(incoming, outgoing, file, admitted) : false));
  };
}
