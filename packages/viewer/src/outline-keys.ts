import { moveTo } from './list-keys.ts';
import {
  nextPage,
  openTo,
  readOuterPath,
  showFirst,
  showRange,
  type MoreLine,
  type OpenNodes,
  type OutlineLine,
  type OutlineSource,
} from './outline.ts';

/** What is open in a tree, and the path of the line that is chosen. */
export type OutlineState = { readonly open: OpenNodes; readonly current: string | undefined };

/** Opens a closed container, closes an open one; a leaf stays as it is. */
export function toggleNode<Node extends object>(
  source: OutlineSource<Node>,
  { open, current }: OutlineState,
  { path, node }: { readonly path: string; readonly node: Node },
): OutlineState {
  const after = new Map(open);
  if (after.delete(path)) return { open: after, current };
  if (!source.hasMembers(node)) return { open, current };
  after.set(path, showFirst(source.countMembers(node)));
  return { open: after, current };
}

/** Shows the first thousand of hidden members, and chooses the first of them. */
export function showMore(state: OutlineState, { container, from, to, total }: MoreLine): OutlineState {
  const open = new Map(state.open);
  open.set(container, showRange(open.get(container) ?? [], [from, Math.min(from + nextPage, to)], total));
  return { open, current: `${container}.${from}` };
}

/** Shows the last of hidden members at the end of a list, and chooses the very last. */
function showLast<Node extends object>(
  source: OutlineSource<Node>,
  state: OutlineState,
  { container, to }: MoreLine,
): OutlineState {
  const current = `${container}.${to - 1}`;
  return { open: openTo(source, state.open, current), current };
}

/**
 * The state after a key, as the keys of a tree are expected to work: the arrows up and down, the page keys, Home and End move; the
 * arrow to the right opens and goes in, to the left closes and goes out. On a line of hidden members, the arrow to the right,
 * Enter and the space bar show the next thousand. End goes to the last member even when it was hidden.
 * @returns undefined for a key that does nothing here
 */
export function pressKey<Node extends object>(
  source: OutlineSource<Node>,
  lines: readonly OutlineLine<Node>[],
  state: OutlineState,
  key: string,
): OutlineState | undefined {
  const at = lines.findIndex(({ path }) => path === state.current);
  const line = lines[at];
  const last = lines.at(-1);
  if (key === 'End' && last?.kind === 'more') return showLast(source, state, last);
  const moved = moveTo(key, at, lines.length);
  if (moved !== undefined) return { ...state, current: lines[moved]?.path };
  if (!line) return undefined;
  if (line.kind === 'more') {
    if (key === 'ArrowLeft') return { ...state, current: line.container };
    return key === 'ArrowRight' || key === 'Enter' || key === ' ' ? showMore(state, line) : undefined;
  }
  if (key === 'ArrowRight') {
    if (!line.isOpen) return toggleNode(source, state, line);
    return { ...state, current: lines[at + 1]?.path ?? line.path };
  }
  if (key !== 'ArrowLeft') return undefined;
  if (line.isOpen) return toggleNode(source, state, line);
  return { ...state, current: readOuterPath(line.path) ?? line.path };
}
