import {
  createTemporaryReferenceSet,
  decodeReply,
  loadServerAction,
  renderToReadableStream,
} from '@vitejs/plugin-rsc/rsc';

import { Document } from './document.jsx';

/** What the starter of this plugin has as its convention: an address with `_.rsc` behind it gives the payload. */
const suffix = '_.rsc';

async function callAction(request, id) {
  const temporaryReferences = createTemporaryReferenceSet();
  const args = await decodeReply(await request.text(), { temporaryReferences });
  try {
    const action = await loadServerAction(id);
    return { temporaryReferences, status: 200, returnValue: { ok: true, data: await action.apply(null, args) } };
  } catch (error) {
    return { temporaryReferences, status: 500, returnValue: { ok: false, data: error } };
  }
}

export default async function handler(request) {
  const { pathname } = new URL(request.url);
  const isPayload = pathname.endsWith(suffix);
  const id = request.headers.get('x-rsc-action');
  const { temporaryReferences, status = 200, returnValue } = id ? await callAction(request, id) : {};
  const path = isPayload ? pathname.slice(0, -suffix.length) : pathname;
  // The starter's root. `formState` is that of a form that was sent without JavaScript, which this app does not take.
  const root = { root: <Document path={path} />, formState: undefined, returnValue };
  const stream = renderToReadableStream(root, { temporaryReferences });
  if (isPayload) {
    return new Response(stream, { status, headers: { 'content-type': 'text/x-component;charset=utf-8' } });
  }
  const ssr = await import.meta.viteRsc.loadModule('ssr', 'index');
  const page = await ssr.renderHtml(stream);
  return new Response(page.stream, { status: page.status, headers: { 'content-type': 'text/html' } });
}
