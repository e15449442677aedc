'use client';

import { useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { createTraceHeaders } from './browser-trace.ts';

/** Sends the document's trace along with every Flight request. Mounted once, in the root. */
export function TraceRuntime() {
  const register = useRegisterRscEnhancer();
  useLayoutEffect(
    () =>
      register(
        (next) => (rscPath, rscParams, options) =>
          next(rscPath, rscParams, {
            ...options,
            fetch(input, init) {
              const headers = new Headers(init?.headers);
              for (const [name, value] of Object.entries(createTraceHeaders())) headers.set(name, value);
              return options.fetch(input, { ...init, headers });
            },
          }),
      ),
    [register],
  );
  return null;
}
