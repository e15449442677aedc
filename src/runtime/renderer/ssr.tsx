import { createFromReadableStream, getClientEntryUrl } from '@vitejs/plugin-rsc/ssr';
import { use, type ReactNode } from 'react';
import { renderToReadableStream } from 'react-dom/server.node';
import { INTERNAL_ServerRoot } from 'waku/minimal/client';
import { INTERNAL_ServerRouter } from 'waku/router/client';

import { createFromNodeStream } from 'virtual:flight-recorder/flight-client';
import { renderToPipeableStream } from 'virtual:flight-recorder/html-server';
import { createBootstrapScriptContent, getBootstrapPreamble } from 'virtual:flight-recorder/waku-ssr';

import { formStateScript } from '../actions/form-state.ts';
import { readControl } from '../control-errors.ts';
import type { Body } from '#src/server/http/body.ts';
import { createFlightSource, type FlightSource } from './flight-source.ssr.ts';
import type { Flight, ReactDestination } from './flight.ts';
import { createHtmlWriter } from './html-writer.ts';

/** What places a page's elements. Waku's router is built here; anything else comes as a Flight stream of its own. */
export type Tree =
  | { readonly type: 'router'; readonly route: { path: string; query: string; hash: string } }
  | { readonly type: 'flight'; readonly flight: Flight };

type HtmlOptions = {
  readonly formState: unknown;
  readonly nonce: string | undefined;
  readonly extraScriptContent: string | undefined;
  readonly rethrowNotFound: boolean | undefined;
  readonly debugId: string | undefined;
  readonly onError: (error: unknown, componentStack: string | undefined) => string | undefined;
  /** The Flight stream of a complete error page, shown when nothing of the real one could be. */
  readonly renderErrorDocument: (digest: string | undefined) => Flight;
  /** Called with what stops a render that has begun. */
  readonly onStart: (abort: (reason: unknown) => void) => void;
  readonly cancel: () => void;
  /** Called when the page is complete. */
  readonly release: () => void;
};

type Pipe = (destination: ReactDestination) => void;

/** Passes the chunks of `flight` on as they come, to the decoder and to the HTML writer. */
function connect(flight: Flight, source: FlightSource, also?: ReturnType<typeof createHtmlWriter>): void {
  let isScheduled = false;
  function forward(): void {
    isScheduled = false;
    const state = flight.state();
    const chunks = flight.take();
    if (chunks.length > 0) {
      source.add(chunks);
      also?.addFlight(chunks);
    }
    if (state.status === 'open') return;
    source.finish(state);
    also?.endFlight();
  }
  flight.listen(() => {
    if (isScheduled) return;
    isScheduled = true;
    // Not in React's call: what decoding throws would count as a failure of the stream.
    process.nextTick(forward);
  });
  forward();
}

function decode<T>(flight: Flight): () => Promise<T> {
  const source = createFlightSource();
  let decoded: Promise<T> | undefined;
  connect(flight, source);
  return () => (decoded ??= createFromNodeStream<T>(source.stream));
}

/** Begins to render; settles when the shell has, and every promise that could be continued without waiting. */
async function renderShell(node: ReactNode, bootstrap: string, options: HtmlOptions): Promise<Pipe> {
  return await new Promise<Pipe>((resolve, reject) => {
    const { pipe, abort } = renderToPipeableStream(node, {
      bootstrapScriptContent: bootstrap + (options.extraScriptContent ?? ''),
      onError: (error, info) => options.onError(error, info.componentStack),
      onShellReady: () => process.nextTick(resolve, pipe),
      onShellError: reject,
      ...(options.nonce ? { nonce: options.nonce } : {}),
      ...(options.formState ? { formState: options.formState } : {}),
    });
    options.onStart(abort);
  });
}

/** An app without a page of its own for it: what Waku's client puts there, for those who see the page without JavaScript. */
function NotFoundRoot() {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Not Found</title>
      </head>
      <body>
        <h1>Not Found</h1>
      </body>
    </html>
  );
}

function createErrorRoot(document: Flight): () => ReactNode {
  const readDocument = decode<ReactNode>(document);
  return function ErrorRoot() {
    return use(readDocument());
  };
}

/**
 * Turns a page's elements, and the tree that places them, into HTML that carries the elements for hydration. When the
 * shell fails, the error page takes its place with status 500, complete without JavaScript; the browser then renders
 * the same payload from scratch, and its boundary shows the same error inside the layout. A page that is not found is no
 * failure: an app that has no page for it answers "Not Found".
 */
export async function renderHtml(
  elements: Flight,
  tree: Tree,
  options: HtmlOptions,
): Promise<{ body: Body; status: number | undefined }> {
  const source = createFlightSource();
  const readTree = tree.type === 'flight' ? decode<ReactNode>(tree.flight) : undefined;
  let elementsPromise: Promise<Record<string, unknown>> | undefined;
  let failureDigest: string | undefined;
  let pipe: Pipe | undefined;

  const writer = createHtmlWriter({
    nonce: options.nonce,
    flight: elements,
    pipe: (destination) => pipe?.(destination),
    cancel: options.cancel,
    release: options.release,
  });
  connect(elements, source, writer);

  // Decoding inside the component lets React preload the client modules that the payload names.
  function SsrRoot() {
    elementsPromise ??= createFromNodeStream<Record<string, unknown>>(source.stream);
    return (
      <INTERNAL_ServerRoot elementsPromise={elementsPromise}>
        {tree.type === 'router' ? <INTERNAL_ServerRouter route={tree.route} /> : readTree ? use(readTree()) : null}
      </INTERNAL_ServerRoot>
    );
  }

  const entry = createBootstrapScriptContent(getClientEntryUrl());
  const preamble = { initialRsc: true, debugId: options.debugId };
  try {
    const bootstrap = formStateScript(options.formState) + getBootstrapPreamble({ ...preamble, hydrate: true }) + entry;
    pipe = await renderShell(<SsrRoot />, bootstrap, {
      ...options,
      onError: (error, componentStack) => (failureDigest = options.onError(error, componentStack)),
    });
    return { body: writer, status: undefined };
  } catch (error) {
    const control = readControl(error);
    if (control?.location || (options.rethrowNotFound && control?.status === 404)) throw error;
    const ErrorRoot =
      control?.status === 404 ? NotFoundRoot : createErrorRoot(options.renderErrorDocument(failureDigest));
    const withoutHydration = getBootstrapPreamble({ initialRsc: true, hydrate: false }) + entry;
    pipe = await renderShell(<ErrorRoot />, withoutHydration, { ...options, formState: undefined });
    return { body: writer, status: control?.status ?? 500 };
  }
}

/** A Flight stream whose root is a whole document, as HTML without scripts. */
export async function renderDocument(
  flight: ReadableStream<Uint8Array>,
  nonce: string,
): Promise<ReadableStream<Uint8Array>> {
  const document = createFromReadableStream<ReactNode>(flight);
  function DocumentRoot() {
    return use(document);
  }
  // React writes scripts of its own only when a part is late; then the policy must allow them.
  return renderToReadableStream(<DocumentRoot />, nonce ? { nonce } : {});
}
