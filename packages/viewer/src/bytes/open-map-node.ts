import { createByteOpener, type ByteSums, type Flight } from '#flight';

import type { MapNode } from './map-node.ts';
import { convertTree } from './map-tree.ts';
import { listRows } from './row-view.ts';

/**
 * Opens what the worker left closed: the map that it sends has the largest nodes only, and the bytes of all. Opening one
 * takes a few milliseconds, so the page does it when somebody asks.
 */
export type MapOpener = {
  readonly open: (node: MapNode) => MapNode;
  /** What is folded into a node, one by one. */
  readonly unfold: (node: MapNode) => MapNode | undefined;
};

/** Nodes that one opening adds: as many as can be told apart in one picture. */
const maxOpened = 1000;

/** A node that is opened again is the same one, so that what was drawn stays. */
function remember<Result>(make: (node: MapNode) => Result): (node: MapNode) => Result {
  const known = new WeakMap<MapNode, { readonly result: Result }>();
  return (node) => {
    const made = known.get(node) ?? { result: make(node) };
    known.set(node, made);
    return made.result;
  };
}

export function createMapOpener(flight: Flight, sums: ByteSums): MapOpener {
  const opener = createByteOpener(flight, sums);
  return {
    open: remember((node) => {
      const { inside } = node;
      switch (inside?.kind) {
        case 'tree':
          return convertTree(flight, opener.open(inside.node, maxOpened));
        case 'rows':
          return { ...node, children: listRows(flight, inside.rows, inside.from), inside: undefined };
        case undefined:
          return node;
      }
    }),
    unfold: remember(({ folded }) => {
      if (!folded) return undefined;
      const node = convertTree(flight, opener.unfold(folded));
      return { ...node, name: 'one by one', title: `${node.title}, one by one`, folded: undefined, inside: undefined };
    }),
  };
}
