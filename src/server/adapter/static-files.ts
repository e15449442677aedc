import 'server-only';

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { MiddlewareHandler } from 'hono';

import { pageHeader } from '#src/server/http/flight-headers.ts';
import { answerNotFound } from '#src/server/http/refuse.ts';
import { assetPrefix, flightPrefix } from '#src/server/http/waku-addresses.ts';
import { currentRequest, type PrerenderedFile } from '#src/server/http/request-context.ts';
import { createDocumentPolicy } from '#src/server/http/security-headers.ts';

import { chooseEncoding } from './accept-encoding.ts';
import { toPrecompressedName, precompressedEncodings, type PrecompressedEncoding } from './precompressed-files.ts';

/**
 * The build's public folder, read once at the start: a request costs a map look-up and no file system call, and a file that
 * was not there at the start cannot be asked for. Prerendered pages and their Flight payloads are files here too, so this
 * is also where a static page is told from a dynamic one.
 *
 * The build has compressed what is worth it (precompressed-files.ts). The precompressed variants lie outside the public
 * folder and are found by the hash of the file's content, so that none can be asked for by name or belong to another
 * version of its file.
 */
export type Variant = {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Complete, with the variant's own ETag. */
  readonly headers: Record<string, string>;
};

export type StaticFile = {
  readonly plain: Variant;
  readonly encoded: ReadonlyMap<PrecompressedEncoding, Variant>;
  /** The keys of `encoded`, best first. */
  readonly encodings: readonly PrecompressedEncoding[];
  /** Of a page: the inline scripts that its policy must allow. */
  readonly scriptHashes: string | undefined;
  /** For the recorder: set for pages and their payloads, with the ETag of the uncompressed variant. */
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

function readStaticFile(file: string, urlPath: string, precompressedFolder: string): StaticFile {
  const body = new Uint8Array(readFileSync(file));
  const name = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const headers = createHeaders(file, urlPath);
  const encoded = new Map<PrecompressedEncoding, Variant>();
  for (const encoding of precompressedEncodings) {
    const compressed = path.join(precompressedFolder, toPrecompressedName(body, encoding));
    if (!existsSync(compressed)) continue;
    encoded.set(encoding, {
      body: new Uint8Array(readFileSync(compressed)),
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
 * @param precompressedFolder where the build put the precompressed variants; need not exist
 */
export function indexStaticFiles(folder: string, precompressedFolder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.map')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const urlPath = toUrlPath(path.relative(folder, file));
    files.set(urlPath, readStaticFile(file, urlPath, precompressedFolder));
  }
  return files;
}

/** `If-None-Match` is a list, and compares weakly: a proxy that compresses on its own makes our tags weak. */
function isKnown(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}

export type FileAnswer = { readonly status: 200 | 304; readonly variant: Variant };

/** Chooses the smallest form that the client takes, and nothing at all when the client has it: for both ways in which a file is sent. */
export function chooseAnswer(
  file: StaticFile,
  acceptEncoding: string | undefined,
  ifNoneMatch: string | undefined,
): FileAnswer {
  const encoding = chooseEncoding(acceptEncoding, file.encodings);
  const variant = (encoding && file.encoded.get(encoding)) ?? file.plain;
  const hasIt = ifNoneMatch !== undefined && isKnown(ifNoneMatch, variant.headers['etag']);
  return { status: hasIt ? 304 : 200, variant };
}

/** What this server's settings add to a variant's own is only known once they are read. */
export function completeHeaders(file: StaticFile, variant: Variant): Record<string, string> {
  if (file.scriptHashes === undefined) return variant.headers;
  return { ...variant.headers, 'content-security-policy': createDocumentPolicy(file.scriptHashes) };
}

/** The middlewares on the way back ask for it: what is recorded, and what is a document. */
function noteFile({ prerendered }: StaticFile): void {
  const request = currentRequest();
  if (!request) return;
  if (prerendered) request.prerendered = prerendered;
  else request.isPlainFile = true;
}

/**
 * Answers from `files` whatever did not go the fast way (send-file.ts). A miss below `/assets/` is a short 404, since
 * rendering a page for it would help nobody.
 */
export function serveStaticFiles(files: ReadonlyMap<string, StaticFile>): MiddlewareHandler {
  return async function staticFiles(c, next) {
    const { method } = c.req;
    if (method !== 'GET' && method !== 'HEAD') return next();
    const urlPath = c.req.path;
    const file = files.get(urlPath) ?? (urlPath.endsWith('/') ? files.get(urlPath.slice(0, -1)) : undefined);
    if (!file || urlPath === '/404') {
      return urlPath.startsWith(assetPrefix) ? answerNotFound() : next();
    }
    noteFile(file);
    const { status, variant } = chooseAnswer(file, c.req.header('accept-encoding'), c.req.header('if-none-match'));
    const { body } = variant;
    const headers = completeHeaders(file, variant);
    if (status === 304) return c.body(null, 304, headers);
    return new Response(method === 'HEAD' ? null : body, {
      headers: { ...headers, 'content-length': String(body.byteLength) },
    });
  };
}
