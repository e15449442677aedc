import 'server-only';

import { filtered, isSensitiveKey } from '../scrubbing/scrub.ts';
import { asRecord, asText, type JsonRecord } from '../receive/untrusted-json.ts';

const whereLimit = 1_000;

/**
 * A mismatch of hydration tells what an element had on both sides. Where the element, or one around it, is named like a secret, as an
 * argument of an action may be, neither is kept.
 */
export function hideNamedSecrets(extra: JsonRecord | undefined): JsonRecord | undefined {
  const hydration = asRecord(extra?.['hydration']);
  const where = asText(hydration?.['where'], whereLimit) ?? '';
  const names = Array.from(where.matchAll(/="([^"]*)"/g), ([, name = '']) => name);
  if (!names.some(isSensitiveKey)) return extra;
  return { ...extra, hydration: { ...hydration, server: filtered, browser: filtered } };
}
