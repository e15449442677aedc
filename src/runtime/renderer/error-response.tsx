import 'server-only';

import { renderToReadableStream } from '@vitejs/plugin-rsc/rsc/server';

import { whenKept } from '../errors/kept-digests.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { ServerErrorDocument } from './server-error-document.tsx';

/**
 * The error page as a response of its own, for failures that left no page to render: status 500, complete HTML. Resolves when
 * the record of `digest` is kept.
 */
export async function renderErrorResponse(digest: string | undefined): Promise<Response> {
  if (digest !== undefined) await whenKept(digest);
  const ssr = await import.meta.viteRsc.import<typeof import('./ssr.tsx')>('./ssr.tsx', { environment: 'ssr' });
  const flight = renderToReadableStream(<ServerErrorDocument digest={digest} />);
  const html = await ssr.renderDocument(flight, currentRequest()?.nonce ?? '');
  return new Response(html, { status: 500, headers: { 'content-type': 'text/html; charset=utf-8' } });
}
