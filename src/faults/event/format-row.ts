import 'server-only';

import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { framesJsonLimit } from './fit-frames.ts';
import { ageLimitMs } from '../kept/retention.ts';
import { asText, type JsonRecord } from '../receive/untrusted-json.ts';
import type { ReceivedEvent } from './read-event.ts';

/** What the rows of both tables have in common: times by our clock, and JSON of a bounded size. */

/**
 * A report leaves as soon as it is made. So a larger difference between its `sent_at` and our clock means that the
 * sender's clock is wrong, and the difference is subtracted from its times. A smaller difference may be a slow
 * connection.
 */
const clockDriftMs = 10_000;

/** How far the sender's clock is behind ours, when that is worth correcting. */
export function measureDrift(header: JsonRecord, receivedAt: number): number {
  const sentAt = Date.parse(asText(header['sent_at'], 64) ?? '');
  const drift = receivedAt - sentAt;
  return Math.abs(drift) > clockDriftMs ? drift : 0;
}

/** A time that no clock can have is replaced by the time of arrival. */
export function clampTime(time: number | undefined, drift: number, receivedAt: number): number {
  if (time === undefined) return receivedAt;
  const corrected = time + drift;
  return corrected < receivedAt - ageLimitMs ? receivedAt : Math.min(corrected, receivedAt);
}

/** The first of `items`, as many as fit into `limit` bytes with their commas. */
function keepFirst(items: Iterable<string>, limit: number): string[] {
  const kept: string[] = [];
  let bytes = '[]'.length;
  for (const json of items) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > limit) break;
    kept.push(json);
  }
  return kept;
}

/** A frame with eleven lines of our own source has 2 KiB. Lines of a minified file can have any length. */
const frameJsonLimit = 4 * 1024;

/** Keeps the innermost when there are too many. */
export function formatFrames(frames: readonly SourceFrame[]): string {
  const items = frames.map((frame) => {
    const json = JSON.stringify(frame);
    const { context: _, ...plain } = frame;
    return Buffer.byteLength(json) > frameJsonLimit ? JSON.stringify(plain) : json;
  });
  return `[${keepFirst(items, framesJsonLimit).join(',')}]`;
}

/**
 * In bytes, for breadcrumbs, tags, extra data and causes together. 100 breadcrumbs are some 20 KiB; with all their details at
 * the limit they would be a megabyte in every row.
 */
const detailsJsonLimit = 64 * 1024;

export type DetailColumns = {
  readonly breadcrumbs_json: string;
  readonly tags_json: string;
  readonly extra_json: string;
};

/** Makes the columns of an event's details. Of too many breadcrumbs the newest are kept. */
export function formatDetails(event: ReceivedEvent, drift: number, receivedAt: number): DetailColumns {
  const others = {
    tags_json: JSON.stringify(event.tags),
    extra_json: JSON.stringify(event.extra),
  };
  const texts = JSON.stringify(event.causes.map(({ name, message, stack }) => [name, message, stack]));
  const used = [...Object.values(others), texts].reduce(
    (bytes, json) => bytes + Buffer.byteLength(json),
    -'{}{}[]'.length,
  );
  const crumbs = event.breadcrumbs
    .toReversed()
    .map((crumb) => JSON.stringify({ ...crumb, time: clampTime(crumb.time, drift, receivedAt) }));
  const kept = keepFirst(crumbs, detailsJsonLimit - used).toReversed();
  return { ...others, breadcrumbs_json: `[${kept.join(',')}]` };
}
