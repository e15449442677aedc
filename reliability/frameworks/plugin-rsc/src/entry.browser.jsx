import {
  createFromFetch,
  createFromReadableStream,
  createTemporaryReferenceSet,
  encodeReply,
  setServerCallback,
} from '@vitejs/plugin-rsc/browser';
import { startTransition, useEffect, useState } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { rscStream } from 'rsc-html-stream/client';

import { listenToLinks } from './listen-to-links.js';

const first = await createFromReadableStream(rscStream);
let show;

function Root() {
  const [payload, setPayload] = useState(first);
  useEffect(() => {
    show = (next) => startTransition(() => setPayload(next));
  }, []);
  return payload.root;
}

async function navigate() {
  show(await createFromFetch(fetch(`${location.pathname}_.rsc`)));
}

setServerCallback(async (id, args) => {
  const temporaryReferences = createTemporaryReferenceSet();
  const body = await encodeReply(args, { temporaryReferences });
  const answer = fetch(`${location.pathname}_.rsc`, { method: 'POST', headers: { 'x-rsc-action': id }, body });
  const payload = await createFromFetch(answer, { temporaryReferences });
  show(payload);
  if (!payload.returnValue.ok) throw payload.returnValue.data;
  return payload.returnValue.data;
});

listenToLinks(navigate);
if ('__NO_HYDRATE' in globalThis) createRoot(document).render(<Root />);
else hydrateRoot(document, <Root />);
