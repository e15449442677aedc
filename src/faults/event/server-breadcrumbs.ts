import 'server-only';

import type { ErrorToKeep } from '#src/runtime/errors/error-record.ts';

import { filtered, isSensitiveKey, scrubSecrets } from '../scrubbing/scrub.ts';

/**
 * What a request did before its error, as the error's row has it: oldest first, without secrets, bounded.
 * stored-json.ts reads the same shape for both sides.
 */

/**
 * As for a browser's error: 100 breadcrumbs are some 20 KiB, and breadcrumbs of an app's own code may hold anything.
 */
const jsonLimit = 64 * 1024;

/** Addresses stay, because the failing upstream is often the cause. */
function scrubEntry([key, value]: [string, string | number]): [string, string] {
  return [key, isSensitiveKey(key) ? filtered : scrubSecrets(String(value))];
}

type ServerBreadcrumb = ErrorToKeep['breadcrumbs'][number];

function format({ time, category, message, level, data = {} }: ServerBreadcrumb): string {
  const scrubbed = Object.fromEntries(Object.entries(data).map(scrubEntry));
  return JSON.stringify({ time, category, level, message: scrubSecrets(message), data: scrubbed });
}

/** @param limit bytes of JSON; the newest stay */
export function formatServerBreadcrumbs(breadcrumbs: readonly ServerBreadcrumb[], limit: number = jsonLimit): string {
  const kept: string[] = [];
  let length = 0;
  for (const breadcrumb of breadcrumbs.toReversed()) {
    const json = format(breadcrumb);
    length += Buffer.byteLength(json);
    if (length > limit) break;
    kept.push(json);
  }
  return `[${kept.toReversed().join(',')}]`;
}
