import 'server-only';

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { MiddlewareHandler } from 'hono';

import { pageHeader } from '#src/http/flight-headers.ts';
import { assetPrefix, flightPrefix } from '#src/http/waku-addresses.ts';
import { currentRequest, type PrerenderedFile } from '#src/http/request-context.ts';
import { createDocumentPolicy } from '#src/http/security-headers.ts';

import { chooseEncoding } from '#src/http/accept-encoding.ts';
import { toTwinName, twinEncodings, type TwinEncoding } from './static-twins.ts';

/**
 * The build's public folder, read once at start: a request costs a map look-up, no file system call, and a file that
 * was not there at start cannot be asked for. Prerendered pages and their Flight payloads are files here too, so this
 * is also where a static page is told from a dynamic one.
 *
 * The build has compressed what is worth it (static-twins.ts). The compressed twins lie outside the public folder, and
 * are found by what the file holds, so that none can be asked for by name or belong to another version of its file.
 */
export type Variant = {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Complete, with the variant's own ETag. */
  readonly headers: Record<string, string>;
};

export type StaticFile = {
  readonly plain: Variant;
  readonly encoded: ReadonlyMap<TwinEncoding, Variant>;
  /** The keys of `encoded`, best first. */
  readonly encodings: readonly TwinEncoding[];
  /** Of a page: what its policy must allow. */
  readonly scriptHashes: string | undefined;
  /** For whoever observes requests: set for pages and their payloads, by the name that all variants share. */
  readonly prerendered: PrerenderedFile | undefined;
};

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Decoded, as Hono hands a request's path over; an encoded separator stays encoded there, so it matches nothing. */
function toUrlPath(relative: string): string {
  const urlPath = `/${relative.split(path.sep).join('/')}`;
  if (urlPath === '/404.html') return '/404';
  return urlPath.endsWith('/index.html') ? urlPath.slice(0, -'/index.html'.length) || '/' : urlPath;
}

/** Of scripts without `src`, whose text the browser hashes before it runs them. */
const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi;
/** Their hashes are 52 characters each in a header, for which proxies commonly keep 4 kB. A page of ours has two. */
const inlineScriptLimit = 40;

/** A page that was rendered at build time has no nonce: its policy names its scripts by their hashes. */
function hashScripts(html: string, urlPath: string): string {
  const hashes = [...html.matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  if (hashes.length > inlineScriptLimit) {
    throw new Error(`The prerendered page ${urlPath} has ${hashes.length} inline scripts: too many for its headers`);
  }
  return [...new Set(hashes)].join(' ');
}

function createHeaders(file: string, urlPath: string): Record<string, string> {
  // A page's data, not a document: it must not be sniffed, and it says that it is static.
  const isPayload = urlPath.startsWith(flightPrefix);
  const isPage = isPayload || file.endsWith('.html');
  const type = isPayload ? 'text/x-component; charset=utf-8' : contentTypes[path.extname(file)];
  return {
    'content-type': type ?? 'application/octet-stream',
    'cache-control': urlPath.startsWith(assetPrefix)
      ? 'public, max-age=31536000, immutable'
      : isPage
        ? 'private, no-cache'
        : 'no-cache',
    'accept-ranges': 'none',
    ...(isPage ? { [pageHeader]: 'static' } : {}),
  };
}

function readStaticFile(file: string, urlPath: string, twinFolder: string): StaticFile {
  const body = new Uint8Array(readFileSync(file));
  const name = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const headers = createHeaders(file, urlPath);
  const encoded = new Map<TwinEncoding, Variant>();
  for (const encoding of twinEncodings) {
    const twin = path.join(twinFolder, toTwinName(body, encoding));
    if (!existsSync(twin)) continue;
    encoded.set(encoding, {
      body: new Uint8Array(readFileSync(twin)),
      headers: { ...headers, etag: `"${name}-${encoding}"`, 'content-encoding': encoding, vary: 'Accept-Encoding' },
    });
  }
  const vary = encoded.size > 0 ? { vary: 'Accept-Encoding' } : {};
  return {
    plain: { body, headers: { ...headers, etag: `"${name}"`, ...vary } },
    encoded,
    encodings: [...encoded.keys()],
    scriptHashes: file.endsWith('.html') ? hashScripts(Buffer.from(body).toString(), urlPath) : undefined,
    prerendered: headers[pageHeader] === 'static' ? { body, etag: `"${name}"` } : undefined,
  };
}

/**
 * Every file below `folder` by URL path. Source maps are left out: they are for the operator, not for the network.
 * @param twinFolder where the build put the compressed twins; need not exist
 */
export function indexStaticFiles(folder: string, twinFolder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.map')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const urlPath = toUrlPath(path.relative(folder, file));
    files.set(urlPath, readStaticFile(file, urlPath, twinFolder));
  }
  return files;
}

/** `If-None-Match` is a list, and compares weakly: a proxy that compresses on its own makes our tags weak. */
export function isKnown(header: string | null | undefined, etag: string | undefined): boolean {
  if (header === undefined || header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}

/** As small as the client takes it. */
export function chooseVariant(file: StaticFile, acceptEncoding: string | undefined): Variant {
  const encoding = chooseEncoding(acceptEncoding, file.encodings);
  return (encoding && file.encoded.get(encoding)) ?? file.plain;
}

/** What this server's settings add to a variant's own is only known once they are read. */
export function completeHeaders(file: StaticFile, variant: Variant): Record<string, string> {
  if (file.scriptHashes === undefined) return variant.headers;
  return { ...variant.headers, 'content-security-policy': createDocumentPolicy(file.scriptHashes) };
}

/** Answers from `files`; a miss below `/assets/` is a short 404, since rendering a page for it would help nobody. */
export function serveStaticFiles(files: ReadonlyMap<string, StaticFile>): MiddlewareHandler {
  return async function staticFiles(c, next) {
    const { method } = c.req;
    if (method !== 'GET' && method !== 'HEAD') return next();
    const urlPath = c.req.path;
    const file = files.get(urlPath) ?? (urlPath.endsWith('/') ? files.get(urlPath.slice(0, -1)) : undefined);
    if (!file || urlPath === '/404') {
      return urlPath.startsWith(assetPrefix) ? c.text('Not found\n', 404) : next();
    }
    const request = currentRequest();
    if (request && file.prerendered) request.prerendered = file.prerendered;
    const variant = chooseVariant(file, c.req.header('accept-encoding'));
    const { body } = variant;
    const headers = completeHeaders(file, variant);
    if (isKnown(c.req.header('if-none-match'), headers['etag'])) return c.body(null, 304, headers);
    return new Response(method === 'HEAD' ? null : body, {
      headers: { ...headers, 'content-length': String(body.byteLength) },
    });
  };
}
