'use client';

import { useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { throwNamedFailure } from '../errors/server-error.ts';
import { createTraceHeaders } from './browser-trace.ts';
import { createVisitHeaders } from './visit.ts';

type Enhancer = Parameters<ReturnType<typeof useRegisterRscEnhancer>>[0];

/** Flight requests carry the document's trace and the tab's id, and a failed response's digest is read. */
export const nameRequests: Enhancer = (next) => (rscPath, rscParams, options) =>
  next(rscPath, rscParams, {
    ...options,
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      const added = { ...createTraceHeaders(), ...createVisitHeaders() };
      for (const [name, value] of Object.entries(added)) headers.set(name, value);
      return throwNamedFailure(await options.fetch(input, { ...init, headers }));
    },
  });

/** Mounted once, in the root. */
export function ReportingRuntime() {
  const register = useRegisterRscEnhancer();
  useLayoutEffect(() => register(nameRequests), [register]);
  return null;
}
