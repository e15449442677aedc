import 'server-only';

import { renderToReadableStream } from '@vitejs/plugin-rsc/rsc/server';

import { ErrorDocument } from '../errors/error-document.tsx';
import { currentRequest } from '../request-context.ts';

/** The error page as a response of its own, for failures that left no page to render: status 500, complete HTML. */
export async function renderErrorResponse(digest: string | undefined): Promise<Response> {
  const ssr = await import.meta.viteRsc.import<typeof import('./ssr.tsx')>('./ssr.tsx', { environment: 'ssr' });
  const flight = renderToReadableStream(<ErrorDocument side="server" digest={digest} />);
  const html = await ssr.renderDocument(flight, currentRequest()?.nonce ?? '');
  return new Response(html, { status: 500, headers: { 'content-type': 'text/html; charset=utf-8' } });
}
