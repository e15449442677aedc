import { mintEventId, type AppError } from '../sender/app-error.ts';
import { isControlFlow, readDigestText, toSentDigest } from '../sender/control-flow.ts';
import { describeThrown, readProperty } from '../sender/describe-thrown.ts';
import { describeProcess, mapCauses, mapStack } from '../sender/map-frames.ts';
import { openSender } from '../sender/open-sender.ts';
import { dropQueryValues, readFlightKind, readHeader, readRequestId, readTraceId } from '../sender/request-facts.ts';
import { mintDigest } from '../digest.ts';

import type { ErrorFacts, Reporter, ReporterOptions } from './public.d.ts';

/**
 * `flight-recorder/rsc`: for whoever calls `renderToReadableStream` (React Router, Parcel, plugin-rsc, an own server). React puts
 * what `onError` returns into the response as the error's digest; without an `onError` the digest is empty, and nobody can
 * find the error.
 */
/** The decoded copy of an error passes here again when HTML is made of the payload. Digests of older ones are not asked for. */
const mintedKept = 1_000;

function readKind(phase: AppError['phase'], request: Request | undefined): NonNullable<AppError['kind']> {
  if (phase === 'action' || readHeader(request?.headers, 'rsc-action-id') !== undefined) return 'action';
  if (phase === 'route') return 'other';
  if (!request) return 'unknown';
  // React Router asks for a payload by its address.
  return /\.rsc(?:$|\?)/.test(request.url) ? 'navigation' : readFlightKind(request.headers);
}

function describe(error: unknown, digest: string, facts: ErrorFacts, options: ReporterOptions): () => AppError {
  const described = describeThrown(error);
  const { request } = facts;
  const phase = facts.phase ?? (facts.componentStack ? 'ssr' : 'rsc');
  const event = {
    id: mintEventId(),
    time: Date.now(),
    reporter: 'rsc',
    digest: toSentDigest(digest),
    framework: options.framework,
    phase,
    kind: readKind(phase, request),
    route: facts.route,
    request: request && {
      method: request.method,
      path: dropQueryValues(request.url),
      id: readRequestId(request.headers),
      traceId: readTraceId(request.headers),
    },
    release: options.release,
    runtime: `Node ${process.versions.node}`,
    componentStack: facts.componentStack ?? undefined,
    ...described,
  } satisfies AppError;
  const running = describeProcess(options.root ?? process.cwd());
  return () => ({
    ...event,
    frames: mapStack(described.stack, described.message, running),
    causes: mapCauses(described.causes, running),
  });
}

export function createReporter(options: ReporterOptions = {}): Reporter {
  const byError = new WeakMap<object, string>();
  const minted = new Set<string>();

  function remember(error: unknown, digest: string): void {
    if (typeof error === 'object' && error !== null) byError.set(error, digest);
    minted.add(digest);
    const oldest = minted.values().next();
    if (minted.size > mintedKept && !oldest.done) minted.delete(oldest.value);
  }

  function onError(error: unknown, facts: ErrorFacts = {}): string | undefined {
    try {
      const carried = readDigestText(error);
      if (isControlFlow(error)) return carried;
      const known = typeof error === 'object' && error !== null ? byError.get(error) : undefined;
      if (known !== undefined) return known;
      if (carried !== undefined && minted.has(carried)) return carried;
      const digest = carried ?? mintDigest();
      remember(error, digest);
      // Not in React's turn: it is making the response.
      const complete = describe(error, digest, facts, options);
      const stack = readProperty(error, 'stack');
      const alike = { digest, stack: typeof stack === 'string' ? stack : undefined };
      void openSender(options.url ?? process.env.FLIGHT_RECORDER)?.send(complete, alike);
      // React's own default writes the error; with an `onError` of ours it does not.
      console.error(error, readProperty(error, 'digest') === undefined ? `digest: ${digest}` : '');
      return digest;
    } catch {
      return undefined;
    }
  }

  return {
    onError,
    settle: async () => openSender(options.url ?? process.env.FLIGHT_RECORDER)?.settle(),
  };
}
