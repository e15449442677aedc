import { useEffect, useState } from 'react';

import { importPart } from '#viewer/import-part.ts';

export type PartState<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly retry: () => void }
  | { readonly kind: 'ready'; readonly part: T };

/**
 * A hook for a part of the page that is loaded when it is shown first. React's `lazy` would remember a failure for the life of the
 * document; here the next try loads it again.
 */
export function createPart<T>(load: () => Promise<T>): () => PartState<T> {
  let loaded: { readonly part: T } | undefined;
  return function usePart() {
    const [state, setState] = useState<'loading' | 'failed' | { readonly part: T }>(loaded ?? 'loading');
    useEffect(() => {
      if (state !== 'loading') return undefined;
      let isCurrent = true;
      async function begin() {
        let next: typeof state = 'failed';
        try {
          next = loaded = { part: await importPart(load) };
        } catch {
          // It is said in place of the part.
        }
        if (isCurrent) setState(next);
      }
      void begin();
      return () => {
        isCurrent = false;
      };
    }, [state]);
    if (state === 'loading') return { kind: 'loading' };
    if (state === 'failed') return { kind: 'failed', retry: () => setState('loading') };
    return { kind: 'ready', part: state.part };
  };
}
