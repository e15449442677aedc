'use client';

import { useEffect, useLayoutEffect } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { ActionNotice } from './action-notice.tsx';
import { keepInput } from './latest-refusal.ts';
import { postToPageUrl } from './post-to-page-url.ts';

/** Once, in the root: sends every server action to the page's URL and tells why one was not carried out. */
export function ActionRuntime() {
  const register = useRegisterRscEnhancer();
  // A layout effect: an action that a child calls in its first effect must already go to the page's URL.
  useLayoutEffect(() => register(postToPageUrl), [register]);
  useEffect(() => {
    addEventListener('reset', keepInput);
    return () => removeEventListener('reset', keepInput);
  }, []);
  return <ActionNotice />;
}
