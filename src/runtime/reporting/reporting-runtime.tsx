'use client';

import { useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { throwNamedFailure } from '../errors/server-error.ts';
import { createTraceHeaders } from './browser-trace.ts';
import { createVisitHeaders } from './visit.ts';

/** Once, in the root: Flight requests carry the document's trace and the tab's id out, and the digest of their failure back. */
export function ReportingRuntime() {
  const register = useRegisterRscEnhancer();
  useLayoutEffect(
    () =>
      register(
        (next) => (rscPath, rscParams, options) =>
          next(rscPath, rscParams, {
            ...options,
            async fetch(input, init) {
              const headers = new Headers(init?.headers);
              const added = { ...createTraceHeaders(), ...createVisitHeaders() };
              for (const [name, value] of Object.entries(added)) headers.set(name, value);
              return throwNamedFailure(await options.fetch(input, { ...init, headers }));
            },
          }),
      ),
    [register],
  );
  return null;
}
