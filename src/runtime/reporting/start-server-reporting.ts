import 'server-only';

import {
  createTransport,
  defaultStackParser,
  linkedErrorsIntegration,
  NodeClient,
  Scope,
  type Event,
} from '@sentry/node';

import { addErrorSink, type ServerErrorRecord } from '../errors/report-error.ts';
import { writeLog } from '../log.ts';
import type { RequestContext } from '../request-context.ts';
import { runtimeSettings } from '../settings.ts';
import { listBreadcrumbs } from './breadcrumbs.ts';
import { dataCollection } from './data-collection.ts';

/**
 * Reports of server errors through the Sentry SDK. The envelope goes to a receiver in this process: an SDK that posts to
 * the server it runs in reports its own reports for ever. The client is made without the SDK's global set-up and without
 * default integrations: those hook every import, which costs 40 MB and 200 ms at start, and each error is handed over
 * here anyway, with its request.
 *
 * A failure inside reporting must never be reported through it. The transport therefore catches everything, writes one
 * log line and counts.
 */
export type ServerReportingOptions = {
  readonly dsn: string;
  readonly release: string;
  /** Stores, and perhaps forwards, one serialised envelope; resolves with the HTTP status it would answer. */
  readonly receive: (envelope: Uint8Array) => Promise<{ readonly status: number }>;
};

let failures = 0;

/** How many envelopes the receiver failed to take since the process started. */
export function countReportingFailures(): number {
  return failures;
}

function createClient(options: ServerReportingOptions): NodeClient {
  return new NodeClient({
    dsn: options.dsn,
    release: options.release,
    environment: process.env.NODE_ENV ?? 'production',
    dataCollection,
    includeServerName: false,
    maxBreadcrumbs: runtimeSettings.breadcrumbsKept,
    enableRuntimeChannelInjection: false,
    integrations: [linkedErrorsIntegration()],
    stackParser: defaultStackParser,
    transport: (transportOptions) =>
      createTransport(transportOptions, async ({ body }) => {
        try {
          const { status } = await options.receive(typeof body === 'string' ? new TextEncoder().encode(body) : body);
          return { statusCode: status };
        } catch (error) {
          failures += 1;
          writeLog('error', 'report-lost', { reason: error instanceof Error ? error.message : String(error) });
          return { statusCode: 500 };
        }
      }),
  });
}

/** Our frames are already mapped to their sources; the SDK's point into bundles. Sentry lists the innermost last. */
function putSourceFrames(event: Event, record: ServerErrorRecord): Event {
  const thrown = event.exception?.values?.at(-1);
  if (!thrown || record.frames.length === 0) return event;
  thrown.stacktrace = {
    frames: record.frames.toReversed().map((frame) => {
      const around = frame.context;
      const at = around ? frame.line - around.firstLine : -1;
      return {
        filename: frame.source ?? frame.file,
        function: frame.fn || '?',
        lineno: frame.line,
        colno: frame.column,
        in_app: frame.inApp,
        ...(around
          ? {
              pre_context: around.lines.slice(0, at),
              context_line: around.lines[at] ?? '',
              post_context: around.lines.slice(at + 1),
            }
          : {}),
      };
    }),
  };
  return event;
}

function createScope(record: ServerErrorRecord, request: RequestContext | undefined): Scope {
  const scope = new Scope();
  scope.setTags({
    digest: record.digest,
    fingerprint: record.fingerprint,
    phase: record.phase,
    kind: record.kind,
    request_id: record.requestId,
  });
  scope.setFingerprint([record.fingerprint]);
  scope.setTransactionName(record.path);
  if (record.traceId) scope.setPropagationContext({ traceId: record.traceId, sampleRand: 0 });
  if (record.componentStack) scope.setContext('react', { componentStack: record.componentStack });
  for (const { time, category, message, level, data } of request ? listBreadcrumbs(request) : []) {
    scope.addBreadcrumb({ timestamp: time / 1000, category, message, level, ...(data ? { data } : {}) });
  }
  scope.addEventProcessor((event) => putSourceFrames(event, record));
  return scope;
}

/**
 * Starts reporting; every error that gets a digest from now on is also reported.
 * @returns a function that stops it and resolves when what was captured is delivered, 2 seconds at most
 */
export function startServerReporting(options: ServerReportingOptions): () => Promise<void> {
  const client = createClient(options);
  client.init();
  const removeSink = addErrorSink((record, error, request) => {
    client.captureException(
      error,
      { originalException: error, mechanism: { handled: false, type: record.phase } },
      createScope(record, request),
    );
  });
  return async function stopServerReporting() {
    removeSink();
    await client.close(2000);
  };
}
