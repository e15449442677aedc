import { useEffect, useReducer } from 'react';

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

function isWaiting(state: UnderstoodState): boolean {
  return state.kind === 'known' && state.understood.personal === 'waiting';
}

/** What is known of a flight's bytes, duplicates, modules and waits, after they are counted. */
export function useUnderstood(opened: OpenedFlight): UnderstoodState {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const known = settled.get(opened);
    if (known && !isWaiting(known)) return undefined;
    let isCurrent = true;
    function settle(state: UnderstoodState) {
      settled.set(opened, state);
      if (isCurrent) drawAgain();
    }
    const count = countFlight(opened);
    async function follow(): Promise<void> {
      let understood: Understood;
      try {
        understood = await count.understood;
      } catch (error) {
        settle({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
        return;
      }
      // Another panel may know the whole already.
      settle(settled.get(opened) ?? { kind: 'known', understood });
      if (!count.whole) return;
      try {
        settle({ kind: 'known', understood: await count.whole() });
      } catch {
        // A file of a build that is gone: the rest is known, and says that this is not.
        settle({ kind: 'known', understood: { ...understood, personal: 'failed' } });
      }
    }
    void follow();
    return () => {
      isCurrent = false;
    };
  }, [opened]);
  return settled.get(opened) ?? counting;
}
