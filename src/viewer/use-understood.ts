import { useEffect, useState } from 'react';

import { countFlight } from './count-flight.ts';
import type { OpenedFlight } from './opened-flight.ts';
import type { Understood } from './understand-task.ts';

export type UnderstoodState =
  | { readonly kind: 'counting' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'known'; readonly understood: Understood };

const counting: UnderstoodState = { kind: 'counting' };

/** Kept, so that a panel that is shown again is drawn at once. */
const settled = new WeakMap<OpenedFlight, UnderstoodState>();

/** What is known of a flight's bytes, duplicates, modules and waits, after they are counted. */
export function useUnderstood(opened: OpenedFlight): UnderstoodState {
  const [, setSettled] = useState<OpenedFlight>();
  useEffect(() => {
    if (settled.has(opened)) return undefined;
    let isCurrent = true;
    function settle(state: UnderstoodState) {
      settled.set(opened, state);
      if (isCurrent) setSettled(opened);
    }
    countFlight(opened).understood.then(
      (understood) => settle({ kind: 'known', understood }),
      (error: unknown) => settle({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' }),
    );
    return () => {
      isCurrent = false;
    };
  }, [opened]);
  return settled.get(opened) ?? counting;
}
