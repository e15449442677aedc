import 'server-only';

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { flightPrefix } from '#src/server/http/waku-addresses.ts';
import type { PrerenderedFile } from '#src/server/http/request-context.ts';

/**
 * The pages of a build that were rendered ahead, and their payloads. Waku's adapter sends them before anything of ours runs, so what
 * was sent is known by the address alone. A file is read when it is sent first, and kept, because many hits are counted by it.
 */
export type FindPrerendered = (path: string) => PrerenderedFile | undefined | Promise<PrerenderedFile | undefined>;

/** A site of a hundred pages has a tenth of it. Pages beyond it are sent as ever, and not recorded. */
const keptBytes = 16 * 1024 * 1024;

type Known =
  | { readonly type: 'unread'; readonly file: string }
  | { readonly type: 'read'; readonly content: Promise<PrerenderedFile | undefined> };

/** The address under which a file of `folder` is asked for; undefined where it is no page and no payload. */
function toAddress(relative: string, base: string): string | undefined {
  const address = `${base}/${relative.split(path.sep).join('/')}`;
  if (address.startsWith(flightPrefix)) return address;
  if (!address.endsWith('.html') || address === `${base}/404.html`) return undefined;
  return address.endsWith('/index.html') ? address.slice(0, -'/index.html'.length) : address;
}

/** @param folder the build's public folder @param base the app's base path, without its last slash */
export function listPrerendered(folder: string, base: string): FindPrerendered {
  const known = new Map<string, Known>();
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  for (const entry of entries) {
    const address = toAddress(entry, base);
    if (address !== undefined) known.set(address, { type: 'unread', file: path.join(folder, entry) });
  }
  let bytes = 0;

  async function read(file: string): Promise<PrerenderedFile | undefined> {
    try {
      const body = new Uint8Array(await readFile(file));
      if (bytes + body.byteLength > keptBytes) return undefined;
      bytes += body.byteLength;
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
    } catch {
      // It was taken away after the start, or is a folder.
      return undefined;
    }
  }

  return function findPrerendered(asked) {
    const address = asked.endsWith('/') ? asked.slice(0, -1) : asked;
    const found = known.get(address);
    if (!found) return undefined;
    if (found.type === 'read') return found.content;
    const content = read(found.file);
    known.set(address, { type: 'read', content });
    return content;
  };
}
