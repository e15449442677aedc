import { isRecord } from '#boundary';

import { type AttributeName, isReadAttribute, type SentSpan, type Span, toSpan } from './span.ts';

/**
 * OTLP over HTTP as JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Ids are hexadecimal there, times are
 * nanoseconds since 1970, as text since a number would not hold them.
 */
function list(value: unknown, field: string): readonly unknown[] {
  const found = isRecord(value) ? value[field] : undefined;
  return Array.isArray(found) ? found : [];
}

function readText(record: Record<string, unknown>, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : '';
}

/** Nanoseconds are more than a number holds exactly; their first digits are enough for microseconds. */
function readTime(record: Record<string, unknown>, field: string): number {
  const value = record[field];
  if (typeof value === 'number') return value / 1e6;
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return Number.NaN;
  return Number(value.slice(0, -3)) / 1e3;
}

function readAttributes(span: Record<string, unknown>): ReadonlyMap<AttributeName, string> {
  const read = new Map<AttributeName, string>();
  for (const attribute of list(span, 'attributes')) {
    if (!isRecord(attribute) || !isRecord(attribute['value'])) continue;
    const { key } = attribute;
    const value = attribute['value']['stringValue'];
    if (typeof key === 'string' && isReadAttribute(key) && typeof value === 'string') read.set(key, value);
  }
  return read;
}

function readSent(span: Record<string, unknown>): SentSpan {
  const { kind, status } = span;
  return {
    traceId: readText(span, 'traceId').toLowerCase(),
    id: readText(span, 'spanId').toLowerCase(),
    parent: readText(span, 'parentSpanId').toLowerCase(),
    name: readText(span, 'name'),
    kind: typeof kind === 'number' ? kind : 0,
    start: readTime(span, 'startTimeUnixNano'),
    end: readTime(span, 'endTimeUnixNano'),
    hasFailed: isRecord(status) && status['code'] === 2,
    attributes: readAttributes(span),
  };
}

/**
 * @param most spans that are read; the others count as refused
 * @returns undefined when the text is no request of OTLP
 */
export function readOtlpJson(text: string, most: number): { spans: Span[]; refused: number } | undefined {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(request)) return undefined;
  const spans: Span[] = [];
  let refused = 0;
  for (const resource of list(request, 'resourceSpans')) {
    for (const scope of list(resource, 'scopeSpans')) {
      for (const one of list(scope, 'spans')) {
        const span = isRecord(one) && spans.length < most ? toSpan(readSent(one)) : undefined;
        if (span) spans.push(span);
        else refused += 1;
      }
    }
  }
  return { spans, refused };
}
