import { describeApp, type Flight } from '#flight';

import { openFirst, openTo, rootPath, showFirst, type OpenNodes, type OutlineLine, type Range } from '../outline.ts';
import { createOutlineSearch } from '../outline-search.ts';
import {
  createTreeSource,
  openNode,
  readNodeElement,
  readNodeRow,
  type TreeNode,
  type TreeSource,
} from './tree-source.ts';

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

/** Values of a member that are looked at for an element. With more, it counts as one that leads to elements. */
const maxLooked = 300;

/** So many members in a row that lead to no element are one line at first; a single one would take as much room. */
const minFolded = 2;

/** Members of one container that are looked at: a router's objects have tens. */
const maxFolded = 100;

function leadsToElement(source: TreeSource, node: TreeNode): boolean {
  const todo = [node];
  for (let looked = 0; looked < maxLooked; looked++) {
    const at = todo.pop();
    if (!at) return false;
    if (readNodeElement(at)) return true;
    for (const member of source.readMembers(at, 0, maxLooked)) todo.push(member.node);
  }
  return true;
}

/** The members of a container without the runs of those that lead to no element; all when none does. */
function findLeading(leads: readonly boolean[]): readonly Range[] {
  const ranges: [from: number, to: number][] = [];
  for (const [index, isLeading] of leads.entries()) {
    if (!isLeading) continue;
    const last = ranges.at(-1);
    if (index - (last?.[1] ?? 0) >= minFolded) ranges.push([index, index + 1]);
    else if (last) last[1] = index + 1;
    else ranges.push([0, index + 1]);
  }
  const last = ranges.at(-1);
  if (!last) return showFirst(leads.length);
  if (leads.length - last[1] < minFolded) last[1] = leads.length;
  return ranges;
}

/**
 * Next.js keeps the page deep in the state of its router, whose own values would fill the screen. Outside all elements the
 * members that lead to none are one line, which opens. What an action returned is there too, and stays.
 */
function chooseLeading(flight: Flight, source: TreeSource) {
  const { framework, purpose } = describeApp(flight);
  if (framework?.guess !== 'next' || purpose === 'action') return undefined;
  const outside = new Set([rootPath]);
  return (node: TreeNode, path: string, total: number): readonly Range[] => {
    if (!outside.has(path) || readNodeElement(node) || total > maxFolded) return showFirst(total);
    const members = source.readMembers(node, 0, total);
    for (const index of members.keys()) outside.add(`${path}.${index}`);
    return findLeading(members.map((member) => leadsToElement(source, member.node)));
  };
}

/** Whether a line is in a member that is not shown. */
function isFolded(open: OpenNodes, path: string): boolean {
  const steps = path.split('.');
  return steps.some((step, at) => {
    const ranges = open.get(steps.slice(0, at).join('.'));
    return ranges !== undefined && !ranges.some(([from, to]) => Number(step) >= from && Number(step) < to);
  });
}

/** What is open at first: level by level, as much as fits on a screen, and the way to what came later. */
export function openTreeFirst(flight: Flight): OpenNodes {
  const source = createTreeSource(flight, flight.rows.count);
  let open: OpenNodes = openFirst(source, firstLines, chooseLeading(flight, source));
  const first = open;
  for (const path of findWaits(flight)) if (!isFolded(first, path)) open = openTo(source, open, path);
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
