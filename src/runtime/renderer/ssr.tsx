import { createFromReadableStream, getClientEntryUrl } from '@vitejs/plugin-rsc/ssr';
import { use, type ReactNode } from 'react';
import { renderToReadableStream } from 'react-dom/server.node';
import { injectRSCPayload } from 'rsc-html-stream/server';
import { INTERNAL_ServerRoot } from 'waku/minimal/client';

import { createBootstrapScriptContent, getBootstrapPreamble } from 'virtual:flight-recorder/waku-ssr';

type SsrOptions = {
  readonly formState: unknown;
  readonly nonce: string | undefined;
  readonly extraScriptContent: string | undefined;
  readonly rethrowNotFound: boolean | undefined;
  readonly debugId: string | undefined;
  readonly isControlFlow: (error: unknown) => boolean;
  readonly onError: (error: unknown, componentStack: string | undefined) => string | undefined;
  /** The Flight stream of a complete error page, shown when nothing of the real one could be. */
  readonly renderErrorDocument: (digest: string | undefined) => ReadableStream<Uint8Array>;
};

const wakuControlPrefix = '__WAKU_CUSTOM_ERROR__;';

function readControl(error: unknown): { status?: number; location?: string } | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  const { digest } = error;
  if (typeof digest !== 'string' || !digest.startsWith(wakuControlPrefix)) return undefined;
  return JSON.parse(digest.slice(wakuControlPrefix.length));
}

/**
 * Turns the two Flight streams of a page, its elements and the tree that places them, into HTML that carries the first
 * one for hydration. When the shell fails, the error page takes its place with status 500, complete without JavaScript;
 * the browser then renders the same payload from scratch, and its boundary shows the same error inside the layout.
 */
export async function renderHtmlStream(
  elements: ReadableStream<Uint8Array>,
  tree: ReadableStream<Uint8Array>,
  options: SsrOptions,
): Promise<{ stream: ReadableStream<Uint8Array>; status: number | undefined }> {
  const [elementsToRender, elementsToInject] = elements.tee();
  let elementsPromise: Promise<Record<string, unknown>> | undefined;
  let treePromise: Promise<ReactNode> | undefined;
  let failureDigest: string | undefined;

  // Decoding inside the component lets React preload the client modules that the payload names.
  function SsrRoot() {
    elementsPromise ??= createFromReadableStream<Record<string, unknown>>(elementsToRender);
    treePromise ??= createFromReadableStream<ReactNode>(tree);
    return <INTERNAL_ServerRoot elementsPromise={elementsPromise}>{use(treePromise)}</INTERNAL_ServerRoot>;
  }

  const bootstrap = createBootstrapScriptContent(getClientEntryUrl()) + (options.extraScriptContent ?? '');
  const nonce = options.nonce ? { nonce: options.nonce } : {};
  let html: ReadableStream<Uint8Array>;
  let status: number | undefined;
  try {
    html = await renderToReadableStream(<SsrRoot />, {
      bootstrapScriptContent:
        getBootstrapPreamble({ hydrate: true, initialRsc: true, debugId: options.debugId }) + bootstrap,
      onError(error: unknown, info: { componentStack?: string }) {
        const digest = options.onError(error, info.componentStack);
        failureDigest = digest;
        return digest;
      },
      ...nonce,
      ...(options.formState ? { formState: options.formState as never } : {}),
    });
  } catch (error) {
    const control = readControl(error);
    if (control?.location || (options.rethrowNotFound && control?.status === 404)) throw error;
    status = control?.status ?? 500;
    const document = createFromReadableStream<ReactNode>(options.renderErrorDocument(failureDigest));
    function ErrorRoot() {
      return use(document);
    }
    html = await renderToReadableStream(<ErrorRoot />, {
      bootstrapScriptContent: getBootstrapPreamble({ hydrate: false, initialRsc: true }) + bootstrap,
      ...nonce,
    });
  }
  return { stream: html.pipeThrough(injectRSCPayload(elementsToInject, nonce)), status };
}

/** A Flight stream whose root is a whole document, as HTML without scripts. */
export async function renderDocument(flight: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const document = createFromReadableStream<ReactNode>(flight);
  function DocumentRoot() {
    return use(document);
  }
  return renderToReadableStream(<DocumentRoot />);
}
