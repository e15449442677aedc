import 'server-only';

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { MiddlewareHandler } from 'hono';

import { currentRequest } from '#src/runtime/request-context.ts';

/**
 * The build's public folder, read once at start: a request costs a map look-up, no file system call, and a file that
 * was not there at start cannot be asked for. Prerendered pages and their Flight payloads are files here too, so this
 * is also where a static page is told from a dynamic one.
 */
type StaticFile = {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Record<string, string>;
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

/** Vite names these after their content, so they never change. */
const hashedPrefix = '/assets/';
/** A prerendered payload is a page's data, not a document: it must not be sniffed, and it says that it is static. */
const flightPrefix = '/RSC/';

/** Decoded, as Hono hands a request's path over; an encoded separator stays encoded there, so it matches nothing. */
function toUrlPath(relative: string): string {
  const urlPath = `/${relative.split(path.sep).join('/')}`;
  if (urlPath === '/404.html') return '/404';
  return urlPath.endsWith('/index.html') ? urlPath.slice(0, -'/index.html'.length) || '/' : urlPath;
}

function readStaticFile(file: string, urlPath: string): StaticFile {
  const body = new Uint8Array(readFileSync(file));
  const isPage = file.endsWith('.html') || urlPath.startsWith(flightPrefix);
  return {
    body,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    headers: {
      'content-type': urlPath.startsWith(flightPrefix)
        ? 'text/x-component; charset=utf-8'
        : (contentTypes[path.extname(file)] ?? 'application/octet-stream'),
      'cache-control': urlPath.startsWith(hashedPrefix) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...(isPage ? { 'x-flight-page': 'static' } : {}),
    },
  };
}

/** Every file below `folder` by URL path. Source maps are left out: they are for the operator, not for the network. */
export function indexStaticFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.map')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const urlPath = toUrlPath(path.relative(folder, file));
    files.set(urlPath, readStaticFile(file, urlPath));
  }
  return files;
}

/** Answers from `files`; a miss below `/assets/` is a short 404, since rendering a page for it would help nobody. */
export function serveStaticFiles(files: ReadonlyMap<string, StaticFile>): MiddlewareHandler {
  return async function staticFiles(c, next) {
    const { method } = c.req;
    if (method !== 'GET' && method !== 'HEAD') return next();
    const urlPath = c.req.path;
    const file = files.get(urlPath) ?? (urlPath.endsWith('/') ? files.get(urlPath.slice(0, -1)) : undefined);
    if (!file || urlPath === '/404') {
      return urlPath.startsWith(hashedPrefix) ? c.text('Not found\n', 404) : next();
    }
    const request = currentRequest();
    if (request && file.headers['x-flight-page'] === 'static') request.prerendered = file;
    const headers = { ...file.headers, etag: file.etag };
    if (c.req.header('if-none-match') === file.etag) return c.body(null, 304, headers);
    return new Response(method === 'HEAD' ? null : file.body, {
      headers: { ...headers, 'content-length': String(file.body.byteLength) },
    });
  };
}
