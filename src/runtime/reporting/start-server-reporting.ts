import 'server-only';

import {
  createTransport,
  defaultStackParser,
  linkedErrorsIntegration,
  NodeClient,
  Scope,
  type Event,
} from '@sentry/node';

import type { ErrorToKeep, ServerErrorRecord } from '../errors/error-record.ts';
import { addErrorSink } from '../errors/report-error.ts';
import { runtimeSettings } from '../settings.ts';
import { dataCollection } from './data-collection.ts';

/**
 * Reports of server errors through the Sentry SDK, for the operator's own Sentry: this app's store has each error already.
 * The envelope is forwarded from this process, as those of browsers are. The client is made without the SDK's global set-up and without
 * default integrations: those hook every import, which costs 40 MB and 200 ms at start, and each error is handed over
 * here anyway, with its request.
 *
 * Importing this module loads the SDK, so it is imported where `SENTRY_DSN` is set, and nowhere else.
 */
export type ServerReportingOptions = {
  readonly dsn: string;
  readonly release: string;
  /** Sends one serialised envelope on, without waiting for it. */
  readonly forward: (envelope: Uint8Array) => void;
};

function createClient(options: ServerReportingOptions): NodeClient {
  return new NodeClient({
    dsn: options.dsn,
    release: options.release,
    environment: import.meta.env.MODE,
    dataCollection,
    includeServerName: false,
    maxBreadcrumbs: runtimeSettings.breadcrumbsKept,
    enableRuntimeChannelInjection: false,
    integrations: [linkedErrorsIntegration()],
    stackParser: defaultStackParser,
    transport: (transportOptions) =>
      createTransport(transportOptions, async ({ body }) => {
        options.forward(typeof body === 'string' ? new TextEncoder().encode(body) : body);
        return { statusCode: 200 };
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

function createScope(record: ServerErrorRecord, breadcrumbs: ErrorToKeep['breadcrumbs']): Scope {
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
  for (const { time, category, message, level, data } of breadcrumbs) {
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
  const removeSink = addErrorSink({
    complete(record, error, breadcrumbs) {
      client.captureException(
        error,
        { originalException: error, mechanism: { handled: false, type: record.phase } },
        createScope(record, breadcrumbs),
      );
    },
  });
  return async function stopServerReporting() {
    removeSink();
    await client.close(2000);
  };
}
