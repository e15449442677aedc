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
 * Reports server errors through the Sentry SDK to the operator's own Sentry. (This app's store has each error already.)
 * This process forwards the envelope, as it forwards those of browsers. The client is made without the SDK's global
 * set-up and without its default integrations. Those hook every import, which costs 40 MB and 200 ms at start, and each
 * error is passed to this module anyway, with its request.
 *
 * Importing this module loads the SDK, so it is imported only where `SENTRY_DSN` is set.
 */
export type ServerReportingOptions = {
  readonly dsn: string;
  readonly release: string;
  /** Sends one serialised envelope and does not wait for it. */
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

/**
 * Our frames are already mapped to their sources. The SDK's frames point into bundles. Sentry lists the innermost last.
 */
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
 * Starts reporting. Every error that gets a digest from now on is also reported.
 * @returns a function that stops it, and resolves when captured reports are delivered, after 2 seconds at most
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
