import type { Sender } from '#report/browser/browser-error.ts';
import { randomHex } from '#report/browser/random-hex.ts';

import { serializeBaggage } from './baggage.ts';
import { localDsn } from './local-dsn.ts';

/**
 * One trace id for a document, its navigations and its actions. The server names it in the document's `Server-Timing`
 * header. (A header also works for prerendered pages; a tag in their HTML would be the same for every visitor.) The
 * browser sends it back with every Flight request.
 */
const traceParent = /^([0-9a-f]{32})-([0-9a-f]{16})/;

let documentTraceId: string | undefined;

function readServerTiming(): string | undefined {
  const [navigation] = performance.getEntriesByType('navigation');
  if (!(navigation instanceof PerformanceNavigationTiming)) return undefined;
  const timing = navigation.serverTiming.find(({ name }) => name === 'sentry-trace');
  return traceParent.exec(timing?.description ?? '')?.[1];
}

/** 32 hex characters. A new id when the server named none, as on a plain-http host other than localhost. */
export function readTraceId(): string {
  documentTraceId ??= readServerTiming() ?? randomHex(16);
  return documentTraceId;
}

/** Who reports, in every report of this document. */
export function describeSender(): Sender {
  // Named one by one: the whole object would be in what every page loads.
  const environment = import.meta.env.MODE;
  const release = import.meta.env.WAKU_BUILD_ID;
  return { traceId: readTraceId(), dsn: localDsn, environment, release };
}

/** Headers that continue the document's trace, with a new span each time. */
export function createTraceHeaders(): Record<string, string> {
  const traceId = readTraceId();
  const release = import.meta.env.WAKU_BUILD_ID;
  const baggage = serializeBaggage(
    new Map([
      ['sentry-trace_id', traceId],
      ['sentry-environment', import.meta.env.MODE],
      ...(release ? [['sentry-release', release] as const] : []),
    ]),
  );
  return { 'sentry-trace': `${traceId}-${randomHex(8)}`, ...(baggage ? { baggage } : {}) };
}
