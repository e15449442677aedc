import { useEffect, useState } from 'react';

import type { Flight } from '#flight';

import type { OutlineLine } from '../outline.ts';
import { findArrival } from './tree-open.ts';
import type { TreeNode, TreeSource } from './tree-source.ts';

/** How long what has just come stays lit: as long as its colour takes to fade. */
const litMs = 1600;

/** What came last: since there were `before` rows, of which there are `came` now. `path` is its first line. */
type Arrived = { readonly came: number; readonly before: number; readonly path: string | undefined };

type Shown = {
  readonly flight: Flight;
  readonly source: TreeSource;
  readonly lines: readonly OutlineLine<TreeNode>[];
  readonly came: number;
};

/**
 * What has come since the moment that was shown before, for a while.
 * @param open opens the way to its first line
 * @returns what came, and a function that forgets its line: somebody has chosen another
 */
export function useArrived(
  { flight, source, lines, came }: Shown,
  open: (path: string) => void,
): readonly [Arrived, () => void] {
  const [arrived, setArrived] = useState<Arrived>({ came, before: came, path: undefined });
  if (arrived.came !== came) {
    const before = Math.min(came, arrived.came);
    const path = before < came ? findArrival(flight, source, lines, before) : undefined;
    setArrived({ came, before, path });
    if (path !== undefined) open(path);
  }

  useEffect(() => {
    const fade = (last: Arrived): Arrived => (last.came === arrived.came ? { ...last, before: last.came } : last);
    const timer = setTimeout(() => setArrived(fade), litMs);
    return () => clearTimeout(timer);
  }, [arrived.came]);

  return [arrived, () => setArrived((last) => ({ ...last, path: undefined }))];
}
