'use client';

import { useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { throwNamedFailure } from '../errors/server-error.ts';
import { createTraceHeaders } from './browser-trace.ts';
import { createVisitHeaders } from './visit.ts';

/**
 * Mounted once, in the root. Flight requests then carry the document's trace and the tab's id, and a failed response's
 * digest is read.
 */
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
