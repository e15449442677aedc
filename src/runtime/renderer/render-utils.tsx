import 'server-only';

import { isValidElement, type ReactNode } from 'react';

import { renderToPipeableStream } from 'virtual:flight-recorder/flight-server';

import { readRedirect } from '../control-errors.ts';
import { reportError } from '../errors/report-error.ts';
import { noteFact, noteRedirect } from '../reporting/breadcrumbs.ts';
import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { toResponse, toWebStream, type Body } from '#src/server/http/body.ts';
import { gateDigests, gateStream } from './digest-gate.ts';
import { createFlightBody } from './flight-body.ts';
import { observeDebugChannel, observeStream, openTap, type FlightTap } from './flight-observer.ts';
import { createFlight, readFlight, type Flight } from './flight.ts';
import { learnShapes } from './learn-shapes.ts';
import type { Tree } from './ssr.tsx';
import { ServerErrorDocument } from './server-error-document.tsx';

/**
 * Replaces Waku's module of the same purpose (see vite.ts), with the same arguments and results. Three things differ: the
 * error callbacks mint digests; a failed shell becomes a complete error page instead of an empty one; and no web stream is
 * read on the way from React to the socket (see body.ts).
 */
type CreateOptions = {
  readonly temporaryReferences: unknown;
  readonly renderToReadableStream: (data: unknown, options?: object, extra?: object) => ReadableStream<Uint8Array>;
  readonly buildId: string;
  readonly createDebugChannel?: (() => unknown) | undefined;
  readonly debugId?: string | undefined;
  /** Waku's own: at build time it collects the errors that make the build fail. */
  readonly onError: (error: unknown) => string | undefined;
};

type RenderRscOptions = {
  readonly value?: unknown;
  readonly etags?: Record<string, unknown>;
  readonly documentLocation?: string;
  readonly unstable_clientModuleCallback?: (ids: string[]) => void;
};

type RenderHtmlOptions = {
  readonly rscPath: string;
  readonly formState?: unknown;
  readonly status?: number;
  readonly nonce?: string;
  readonly unstable_extraScriptContent?: string;
  readonly unstable_rethrowNotFound?: boolean;
};

type Ssr = typeof import('./ssr.tsx');

let loadedSsr: Ssr | undefined;

async function loadSsr(): Promise<Ssr> {
  // An import costs a few promises each time; in dev the module may have changed.
  if (loadedSsr && !import.meta.env.DEV) return loadedSsr;
  loadedSsr = await import.meta.viteRsc.import<Ssr>('./ssr.tsx', { environment: 'ssr' });
  return loadedSsr;
}

function toPayload(elements: Record<string, unknown>, buildId: string, options: RenderRscOptions | undefined) {
  for (const id of Object.keys(elements)) {
    if (id.startsWith('_')) throw new Error(`Element id ${JSON.stringify(id)} begins with "_", which Waku reserves`);
  }
  return {
    ...elements,
    ...(buildId ? { _buildId: buildId } : {}),
    ...(options && 'value' in options ? { _value: options.value } : {}),
    ...(options?.documentLocation ? { _location: options.documentLocation } : {}),
    ...(options?.etags && Object.keys(options.etags).length > 0 ? { _etags: options.etags } : {}),
  };
}

type RouterProps = { readonly route: { path: string; query: string; hash: string } };

/** Waku's tree for a page is its router with the page's path; that needs no Flight stream to reach `ssr`. */
function readRoute(html: ReactNode): RouterProps['route'] | undefined {
  if (!isValidElement<RouterProps>(html) || typeof html.type !== 'function' || !('$$id' in html.type)) return undefined;
  const { $$id } = html.type;
  return typeof $$id === 'string' && $$id.endsWith('#INTERNAL_ServerRouter') ? html.props.route : undefined;
}

/** A property of the web stream that `renderRsc` returns, for `renderHtml` to find the Flight stream behind it (see body.ts). */
const flightKey = Symbol('flight');

function findFlight(stream: ReadableStream<Uint8Array>): Flight {
  const flight: Flight | undefined = Reflect.get(stream, flightKey);
  return flight ?? readFlight(stream);
}

/** Another app may record its flights and leave its errors to Waku. */
const mintsDigests = import.meta.env.FLIGHT_DIGESTS !== 'off';

const clientLeft = new Error('The response is no longer wanted');

learnShapes();

/** How long a rendering is wanted: what has to be aborted when the visitor leaves before its body is complete. */
function createLife(request: RequestContext | undefined, onLeft: () => void) {
  let aborts: ((reason: unknown) => void)[] = [];
  let isCancelled = false;

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    onLeft();
    for (const abort of aborts) abort(clientLeft);
  }

  if (request?.signal.aborted) isCancelled = true;
  else request?.signal.addEventListener('abort', cancel, { once: true });

  return {
    cancel,
    isCancelled: () => isCancelled,
    addAbort(abort: (reason: unknown) => void): void {
      aborts.push(abort);
      if (isCancelled) abort(clientLeft);
    },
    /** The body is complete. The signal can live until a full garbage collection; a finished render must not. */
    release(): void {
      aborts = [];
      request?.signal.removeEventListener('abort', cancel);
    },
  };
}

type DevelopmentParts = {
  readonly onError: (error: unknown) => string | undefined;
  readonly extraOptions: object;
  readonly observer: FlightTap | undefined;
  readonly request: RequestContext | undefined;
};

/** The channel for React's debug rows is a pair of web streams, which its Node stream does not take. */
function renderInDevelopment(
  { createDebugChannel, renderToReadableStream, temporaryReferences }: CreateOptions,
  payload: object,
  { onError, extraOptions, observer, request }: DevelopmentParts,
): ReadableStream<Uint8Array> {
  const channel = createDebugChannel?.();
  const debugChannel = observer ? observeDebugChannel(channel, observer) : channel;
  const stream = renderToReadableStream(payload, { temporaryReferences, onError, debugChannel }, extraOptions);
  return request ? gateStream(stream, request.digests) : stream;
}

export function createRenderUtils(create: CreateOptions) {
  // The callbacks run long after this call, from streams; what they need of the request is taken now.
  const request = currentRequest();
  /** Of the elements that `renderRsc` was given last: a page that turns out not to be found is followed by another. */
  let tap: FlightTap | undefined;
  let isHtml = false;
  const { cancel, isCancelled, addAbort, release } = createLife(request, () => tap?.end('left'));

  function noteSent(response: number, transferred: number | undefined): void {
    tap?.end('complete', { response, transferred });
    tap = undefined;
  }

  /** Nobody reads a digest before its record is kept. */
  function gate(body: Body): Body {
    if (!request) return body;
    return gateDigests(body, request.digests, {
      onFirstBytes: () => noteFact({ type: 'first-byte', time: Date.now() }, request),
      onSent: noteSent,
    });
  }

  // React reports an abort once per unfinished task. A visitor who left is not an error.
  function onRscError(error: unknown): string | undefined {
    if (isCancelled()) return undefined;
    const redirect = readRedirect(error, 307);
    if (redirect) noteRedirect(redirect.status, redirect.location, request);
    return mintsDigests && request ? reportError(error, 'rsc', { request }) : create.onError(error);
  }

  function onSsrError(error: unknown, componentStack: string | undefined): string | undefined {
    if (isCancelled()) return undefined;
    return mintsDigests && request ? reportError(error, 'ssr', { request, componentStack }) : create.onError(error);
  }

  function renderFlight(
    model: unknown,
    extraOptions?: { onClientReference: (metadata: { deps: { js: string[] } }) => void },
    observer?: FlightTap,
  ): Flight {
    const flight = observer
      ? createFlight(
          (chunk) => observer.write(chunk, 'payload'),
          () => observer.end('failed'),
        )
      : createFlight();
    const { pipe, abort } = renderToPipeableStream(
      model,
      { temporaryReferences: create.temporaryReferences, onError: onRscError },
      extraOptions,
    );
    pipe(flight.destination);
    addAbort(abort);
    return flight;
  }

  async function renderRsc(elements: Record<string, unknown>, options?: RenderRscOptions) {
    const payload = toPayload(elements, create.buildId, options);
    const extraOptions = {
      onClientReference: (metadata: { deps: { js: string[] } }) =>
        options?.unstable_clientModuleCallback?.(metadata.deps.js),
    };
    noteFact({ type: 'render-began', time: Date.now() }, request);
    const observer = request && !isCancelled() ? openTap(request, payload) : undefined;
    tap = observer;
    if (create.createDebugChannel) {
      const gated = renderInDevelopment(create, payload, { onError: onRscError, extraOptions, observer, request });
      if (!observer) return gated;
      return observeStream(gated, observer, () => {
        if (!isHtml) observer.end('complete');
      });
    }
    const flight = renderFlight(payload, extraOptions, observer);
    const body = gate(createFlightBody(flight, { cancel, release }));
    return Object.assign(toWebStream(body), { [flightKey]: flight });
  }

  async function renderPage(
    elementsStream: ReadableStream<Uint8Array>,
    html: ReactNode,
    options: RenderHtmlOptions,
  ): Promise<Response> {
    isHtml = true;
    const ssr = await loadSsr();
    const route = readRoute(html);
    const tree: Tree = route ? { type: 'router', route } : { type: 'flight', flight: renderFlight(html) };
    // Once no promise is left to continue: a page that waits for nothing has all its rows by then.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const { body, status } = await ssr.renderHtml(findFlight(elementsStream), tree, {
      formState: options.formState,
      nonce: options.nonce ?? (request?.nonce || undefined),
      extraScriptContent: options.unstable_extraScriptContent,
      rethrowNotFound: options.unstable_rethrowNotFound,
      debugId: create.debugId,
      onError: onSsrError,
      renderErrorDocument: (digest) => renderFlight(<ServerErrorDocument digest={digest} />),
      onStart: addAbort,
      cancel,
      release,
    });
    return toResponse(gate(body), {
      status: status ?? options.status ?? 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  }

  /** A redirect, a page that is not found, a failure: the elements that were given are not what is answered. */
  async function renderHtml(...[elementsStream, html, options]: Parameters<typeof renderPage>): Promise<Response> {
    try {
      return await renderPage(elementsStream, html, options);
    } catch (error) {
      tap?.end('left');
      throw error;
    }
  }

  return { renderRsc, renderHtml };
}
