import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { Router } from 'waku/router/client';

import { takeFormState } from '#src/runtime/actions/form-state.ts';
import { adoptDocumentDigest } from '#src/runtime/errors/browser-digest.ts';
import { RootBoundary } from '#src/runtime/errors/root-boundary.tsx';
import { rootErrorCallbacks, startReporting } from '#src/runtime/reporting/browser-reporting.ts';

const app = (
  <StrictMode>
    <RootBoundary>
      <Router />
    </RootBoundary>
  </StrictMode>
);

startReporting();
adoptDocumentDigest();
if (globalThis.__WAKU_HYDRATE__) hydrateRoot(document, app, { ...rootErrorCallbacks, ...takeFormState() });
else createRoot(document, rootErrorCallbacks).render(app);
