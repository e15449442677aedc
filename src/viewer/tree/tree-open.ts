import type { Flight } from '#flight';

import { openFirst, openTo, type OpenNodes, type OutlineLine } from '../outline.ts';
import { createOutlineSearch } from '../outline-search.ts';
import { createTreeSource, openNode, readNodeRow, type TreeNode, type TreeSource } from './tree-source.ts';

/** How many lines are open at first: one screen. */
const firstLines = 40;

/** How many waiting places are opened. A person can open more. */
const maxWaits = 12;

/** How many times 64 lines are looked at for a waiting place, and for what has come: some milliseconds. */
const maxLooks = { waits: 100, arrival: 60 };

/** A clock that goes on by one each time it is looked at, so that a search is as long on every machine. */
function createCounter(): () => number {
  let looks = 0;
  return () => ++looks;
}

/** The paths to what had not come with the root: there the tree changes over time. */
function findWaits(flight: Flight): readonly string[] {
  const came = flight.root === undefined ? 0 : flight.root + 1;
  // All came at once with the root, or nothing did.
  if (came === 0 || came === flight.rows.count) return [];
  const source = createTreeSource(flight, came);
  const search = createOutlineSearch(source, (node) => openNode(node).kind === 'waiting', createCounter());
  search.advance(maxLooks.waits, maxWaits);
  return search.found;
}

/** What is open at first: level by level, as much as fits on a screen, and the way to what came later. */
export function openTreeFirst(flight: Flight): OpenNodes {
  const source = createTreeSource(flight, flight.rows.count);
  let open: OpenNodes = openFirst(source, firstLines);
  for (const path of findWaits(flight)) open = openTo(source, open, path);
  return open;
}

/** Whether a node is in a row that has come since there were `before` rows. */
export function isArrived(flight: Flight, node: TreeNode, before: number): boolean {
  const row = readNodeRow(flight, node);
  return row !== undefined && row >= before;
}

/**
 * The path of the first line that has come since there were `before` rows: among the lines that are shown, or else where
 * nothing is open yet. Undefined when it is no part of the tree, or far into a large one.
 */
export function findArrival(
  flight: Flight,
  source: TreeSource,
  lines: readonly OutlineLine<TreeNode>[],
  before: number,
): string | undefined {
  const shown = lines.find((line) => line.kind === 'node' && isArrived(flight, line.node, before));
  if (shown) return shown.path;
  const search = createOutlineSearch(source, (node) => isArrived(flight, node, before), createCounter());
  search.advance(maxLooks.arrival, 1);
  return search.found[0];
}
