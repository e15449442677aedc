'use client';

import { Suspense, useEffect, useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';
import { navigation } from 'virtual:flight-recorder/options';

import { useConnection } from '#src/runtime/navigation/use-connection.ts';

import { holdRequests } from '../browser/hold-requests.ts';
import { loadLateWhenIdle } from '../browser/late.ts';
import { useLate } from '../browser/use-late.ts';

/** Outside what is registered later (navigation-runtime.tsx), inside what Waku's router registers itself. */
const enhancerOrder = 11;

function Connection() {
  useConnection();
  return null;
}

/** Connects links and requests to Waku's router, and loads the rest of the runtime when there is time. */
export function FlightRecorderRuntime() {
  const register = useRegisterRscEnhancer();
  useLayoutEffect(() => register(holdRequests, enhancerOrder), [register]);
  useEffect(loadLateWhenIdle, []);
  const late = useLate();
  return (
    <>
      {navigation ? <Connection /> : null}
      {late ? (
        <Suspense>
          <late.LateRuntime />
        </Suspense>
      ) : null}
    </>
  );
}
