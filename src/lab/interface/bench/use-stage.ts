import { startTransition, useEffect, useRef, useState, type RefObject, type ReactNode } from 'react';
import RSDWClient from 'react-server-dom-webpack/client';
import { unstable_callServerRsc as callServerRsc } from 'waku/minimal/client';

import type { Step } from './read-shown.ts';
import type { Alone } from './use-alone.ts';
import { watchResult, type Change } from './watch-result.ts';

/** A payload that React is given piece by piece, as if it came over a slow network. */
type Feed = {
  readonly root: Promise<ReactNode>;
  readonly give: (bytes: Uint8Array) => void;
  readonly end: () => void;
};

/** What is not read yet waits in the stream: a payload is in memory as a whole anyway. */
function ignore(): void {
  // A stream that failed is shown by who reads it.
}

function createFeed(): Feed {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // What reads a response is in every page already.
  const root = RSDWClient.createFromFetch(Promise.resolve(new Response(readable)), {
    callServer: (id, args) => callServerRsc(id, args),
  });
  return {
    root,
    give: (bytes) => void writer.write(bytes).catch(ignore),
    end: () => void writer.close().catch(ignore),
  };
}

/** What is shown: all that has come, or the payload up to one of its rows. */
export type Position = { readonly kind: 'all' } | { readonly kind: 'step'; readonly step: number };

/** React has shown what came before, held back as it may be (see watch-result.ts): only then the row is given. */
const settleMs = 400;

/** The feed of the result that is shown. */
type Shown = {
  readonly feed: Feed;
  /** Of a result that has nothing of another one. */
  readonly key: number;
};

/** What is shown, and how much of which payload it was given. */
function createGiver(first: string) {
  let shown: Shown = { feed: createFeed(), key: 0 };
  let [address, given, isEnded] = [first, 0, false];

  function start(next: Shown, of: string): Shown {
    [shown, address, given, isEnded] = [next, of, 0, false];
    return shown;
  }

  return {
    shown: () => shown,
    address: () => address,
    given: () => given,
    /** A result that has nothing yet. */
    begin: (of: string) => start({ feed: createFeed(), key: shown.key + 1 }, of),
    /** Another payload for the same result: React keeps the state of what stays, as it does when a page is navigated. */
    replace: (of: string) => start({ feed: createFeed(), key: shown.key }, of),
    giveUntil({ bytes, status }: Alone, end: number): void {
      if (end > given) shown.feed.give(bytes.subarray(given, end));
      given = end;
      if (end < bytes.length || status.kind !== 'ended' || isEnded) return;
      shown.feed.end();
      isEnded = true;
    },
  };
}

type Stage = Shown & {
  /** What the row changed, as far as it is known yet; undefined where none was given by itself. */
  readonly changes: readonly Change[] | undefined;
};

/**
 * Gives React the payload as far as `position` says. The row that is looked at is given by itself, when what came before it is shown:
 * what then changes in the result is what it completed. Going back is a new result from the first row on. Another payload, of a variant,
 * takes the place of the one before where all is shown.
 */
export function useStage(
  alone: Alone,
  steps: readonly Step[],
  position: Position,
  result: RefObject<HTMLElement | null>,
): Stage {
  const { address } = alone;
  const [giver] = useState(() => createGiver(address));
  const [shown, setShown] = useState(giver.shown);
  const [told, setTold] = useState<{ readonly of: Position; readonly changes: readonly Change[] }>();
  const latest = useRef({ alone, steps });
  // The row may still be on its way.
  const isThere = position.kind === 'step' && position.step < steps.length;

  useEffect(() => {
    latest.current = { alone, steps };
    if (position.kind === 'all' && giver.address() !== alone.address) {
      const next = giver.replace(alone.address);
      startTransition(() => setShown(next));
    }
    // What was given up to its last row ends when it is known to be the last.
    if (giver.address() === alone.address) {
      giver.giveUntil(alone, position.kind === 'all' ? alone.bytes.length : giver.given());
    }
  }, [giver, position, alone, steps]);

  useEffect(() => {
    const now = position.kind === 'step' && isThere ? latest.current.steps[position.step] : undefined;
    if (position.kind !== 'step' || !now) return undefined;
    const start = latest.current.steps[position.step - 1]?.end ?? 0;
    let stop: (() => void) | undefined;
    let isNew = giver.given() !== start || giver.address() !== address;
    if (isNew) {
      giver.begin(address);
      giver.giveUntil(latest.current.alone, start);
    }
    function giveRow() {
      setTold({ of: position, changes: [] });
      if (result.current) stop = watchResult(result.current, (changes) => setTold({ of: position, changes }));
      giver.giveUntil(latest.current.alone, now?.end ?? start);
    }
    let timer = setTimeout(() => {
      if (!isNew) return giveRow();
      isNew = false;
      setShown(giver.shown());
      timer = setTimeout(giveRow, settleMs);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [giver, position, result, isThere, address]);

  return { ...shown, changes: told?.of === position ? told.changes : undefined };
}
