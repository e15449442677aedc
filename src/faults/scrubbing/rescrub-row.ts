import 'server-only';

import { filtered, isSensitiveKey } from './scrub.ts';
import { asRecord, parseJson } from '../receive/untrusted-json.ts';

/**
 * Scrubs what is stored, text by text. A text that was scrubbed by the same rules comes out as it was, so only rows with something new
 * to remove change.
 */
export type Scrub = (text: string) => string;

/** Texts anywhere in JSON. The value of a sensitive key is removed whole. */
function scrubValue(value: unknown, scrub: Scrub, named: boolean): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item: unknown) => scrubValue(item, scrub, named));
  const record = asRecord(value);
  if (!record) return value;
  return Object.fromEntries(
    Object.entries(record).map(([key, item]) => {
      const isRemoved = named && item !== null && (isSensitiveKey(key) || key.split('.').some(isSensitiveKey));
      return [key, isRemoved ? filtered : scrubValue(item, scrub, named)];
    }),
  );
}

/** Tags, extra data: every key is somebody's. */
export function rescrubData(json: string, scrub: Scrub): string {
  const value = parseJson(json);
  return value === undefined ? json : JSON.stringify(scrubValue(value, scrub, true));
}

/** Causes, parts of a fingerprint: the keys are ours. */
export function rescrubTexts(json: string, scrub: Scrub): string {
  const value = parseJson(json);
  return value === undefined ? json : JSON.stringify(scrubValue(value, scrub, false));
}

/** The keys of `data` are somebody's, the others ours. */
export function rescrubBreadcrumbs(json: string, scrub: Scrub): string {
  const crumbs = parseJson(json);
  if (!Array.isArray(crumbs)) return json;
  return JSON.stringify(
    crumbs.map((crumb: unknown) => {
      const { data, ...ours } = asRecord(crumb) ?? {};
      return {
        ...asRecord(scrubValue(ours, scrub, false)),
        ...(data === undefined ? {} : { data: scrubValue(data, scrub, true) }),
      };
    }),
  );
}
