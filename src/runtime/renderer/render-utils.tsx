import 'server-only';

import type { ReactNode } from 'react';

import { ErrorDocument } from '../errors/error-document.tsx';
import { isControlFlow, reportError } from '../errors/report-error.ts';
import { currentRequest } from '../request-context.ts';

/**
 * Stands in for Waku's module of the same purpose (see vite.ts). Same arguments, same results; different are only the
 * error callbacks, which mint digests, and what a failed shell becomes: a complete error page instead of an empty one.
 */
type RenderToReadableStream = (data: unknown, options?: object, extraOptions?: object) => ReadableStream<Uint8Array>;

type CreateOptions = {
  readonly temporaryReferences: unknown;
  readonly renderToReadableStream: RenderToReadableStream;
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

async function loadSsr() {
  return await import.meta.viteRsc.import<typeof import('./ssr.tsx')>('./ssr.tsx', { environment: 'ssr' });
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

export function createRenderUtils(create: CreateOptions) {
  // The callbacks run long after this call, from streams; what they need of the request is taken now.
  const request = currentRequest();

  function onRscError(error: unknown): string | undefined {
    return request ? reportError(error, 'rsc', { request }) : create.onError(error);
  }

  function onSsrError(error: unknown, componentStack: string | undefined): string | undefined {
    return request ? reportError(error, 'ssr', { request, componentStack }) : create.onError(error);
  }

  async function renderRsc(elements: Record<string, unknown>, options?: RenderRscOptions) {
    return create.renderToReadableStream(
      toPayload(elements, create.buildId, options),
      {
        temporaryReferences: create.temporaryReferences,
        onError: onRscError,
        debugChannel: create.createDebugChannel?.(),
      },
      {
        onClientReference(metadata: { deps: { js: string[] } }) {
          options?.unstable_clientModuleCallback?.(metadata.deps.js);
        },
      },
    );
  }

  async function renderHtml(
    elementsStream: ReadableStream<Uint8Array>,
    html: ReactNode,
    options: RenderHtmlOptions,
  ): Promise<Response> {
    const ssr = await loadSsr();
    const { stream, status } = await ssr.renderHtmlStream(
      elementsStream,
      create.renderToReadableStream(html, { onError: onRscError }),
      {
        formState: options.formState,
        nonce: options.nonce,
        extraScriptContent: options.unstable_extraScriptContent,
        rethrowNotFound: options.unstable_rethrowNotFound,
        debugId: create.debugId,
        isControlFlow,
        onError: onSsrError,
        renderErrorDocument: (digest) =>
          create.renderToReadableStream(<ErrorDocument side="server" digest={digest} />, { onError: onRscError }),
      },
    );
    return new Response(stream, {
      status: status ?? options.status ?? 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
  }

  return { renderRsc, renderHtml };
}
