import 'server-only';

import { sql, type Transaction } from 'kysely';

import { createTally } from '#src/server/http/tally.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { OutcomeTable, Tables } from '#src/store/schema.ts';

import { asInteger, asList, asRecord, isWithin, type JsonBudget, parseJson } from './untrusted-json.ts';

/**
 * Counts what is not kept, whether this receiver dropped it or the SDK did before it sent anything. The names come from
 * outside, so only names of closed lists are used: strangers cannot make the table grow by inventing names.
 */
export type Outcome = Pick<OutcomeTable, 'source' | 'type' | 'reason'> & { readonly count: number };

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/**
 * Item types of the SDKs' union (version 11) and older ones:
 * https://develop.sentry.dev/sdk/foundations/data-model/envelope-items/
 */
const itemTypes = words(
  `event client_report user_report feedback session sessions transaction attachment profile profile_chunk replay_event
  replay_recording replay_video check_in span log otel_log metric trace_metric statsd metric_buckets raw_security`,
);
/** `DataCategory` of @sentry/core. */
const categories = words(
  `default error transaction replay security attachment session internal profile monitor feedback span log_item
  log_byte trace_metric`,
);
/** `EventDropReason` of @sentry/core. */
const discardReasons = words(
  `before_send callback_error event_processor network_error queue_overflow ratelimit_backoff sample_rate send_error
  internal_sdk_error buffer_overflow ignored invalid no_parent_span`,
);
/** Relay's limits for one client report. */
const clientReportBytesLimit = 100 * 1024;
const clientReportEntriesLimit = 100;
/** One report counts for at most this much. A forged one must not make the sums useless or overflow them. */
const quantityLimit = 100_000;

function nameOf(value: unknown, known: ReadonlySet<string>): string {
  return typeof value === 'string' && known.has(value) ? value : 'unknown';
}

/** An item that was received and not kept. */
export function countItem(type: string, reason: 'not_kept' | 'malformed' | 'too_large' | 'excess'): Outcome {
  return { source: 'receiver', type: nameOf(type, itemTypes), reason, count: 1 };
}

/** What the SDK says it dropped itself. */
export function readClientReport(payload: Uint8Array, budget: JsonBudget): Outcome[] {
  const isTooLarge = payload.length > clientReportBytesLimit || !isWithin(budget, payload);
  if (isTooLarge) return [countItem('client_report', 'too_large')];
  const discarded = asList(asRecord(parseJson(new TextDecoder().decode(payload)))?.['discarded_events']);
  if (!discarded) return [countItem('client_report', 'malformed')];
  return discarded.slice(0, clientReportEntriesLimit).flatMap((item): Outcome[] => {
    const entry = asRecord(item);
    const quantity = asInteger(entry?.['quantity']);
    if (!entry || quantity === undefined || quantity < 1) return [];
    return [
      {
        source: 'client',
        type: nameOf(entry['category'], categories),
        reason: nameOf(entry['reason'], discardReasons),
        count: Math.min(quantity, quantityLimit),
      },
    ];
  });
}

/** By who dropped it, and the reason, since this process started. */
export const outcomeCounts = createTally();

/** Call it after they were committed. */
export function countOutcomes(outcomes: readonly Outcome[]): void {
  for (const { source, reason, count } of outcomes) outcomeCounts.add(source, reason, count);
}

/** @param app whose sender it was: one that exists */
export async function addOutcomes(
  trx: Transaction<Tables>,
  outcomes: readonly Outcome[],
  time: number,
  app: string = ownApp,
): Promise<void> {
  const sums = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const key = `${outcome.source}/${outcome.type}/${outcome.reason}`;
    sums.set(key, { ...outcome, count: outcome.count + (sums.get(key)?.count ?? 0) });
  }
  for (const outcome of sums.values()) {
    await trx
      .insertInto('outcome')
      .values({ ...outcome, app, last_time: time })
      .onConflict((conflict) =>
        conflict.columns(['app', 'source', 'type', 'reason']).doUpdateSet({
          count: sql`outcome.count + excluded.count`,
          last_time: sql`excluded.last_time`,
        }),
      )
      .execute();
  }
}
