import type { TracePart } from '../traces/pack-spans.ts';
import { encode } from './encode-bytes.ts';
import type { Prepare } from './prepare.ts';

/** What a server did for a request (../traces/pack-spans.ts): one row for those of one trace that came together. */
export const spanColumns = ['app', 'trace_id', 'first', 'encoding', 'data', 'received_at'] as const;

export const spanKey = ['app', 'trace_id', 'first'] as const;

/**
 * Rows of one trace. OpenTelemetry's processors send what ended within some seconds together, so this is minutes of one request; what
 * never ends, as a stream of events, would fill the recording.
 */
export const partsKept = 64;

export function toSpanValues(app: string, { traceId, first, text }: TracePart, now: number) {
  const { encoding, data } = encode(new TextEncoder().encode(text));
  return [app, traceId, first, encoding, data, Math.round(now)] as const;
}

export function insertSpans(prepare: Prepare, app: string, part: TracePart, now: number): void {
  const rows = prepare('select count(*) as n from span where app = ? and trace_id = ?').get(app, part.traceId);
  if (Number(rows?.['n']) >= partsKept) return;
  prepare(
    `insert into span (${spanColumns.join(', ')}) values (${spanColumns.map(() => '?').join(', ')}) on conflict do nothing`,
  ).run(...toSpanValues(app, part, now));
}
