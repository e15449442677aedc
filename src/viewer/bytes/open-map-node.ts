import { createByteOpener, type ByteSums, type Flight } from '#flight';

import type { MapNode } from './map-node.ts';
import { convertTree } from './map-tree.ts';
import { listRows } from './row-view.ts';

/**
 * Opens what the worker left closed: the map that it sends has the largest nodes only, and the bytes of all. Opening one
 * takes a few milliseconds, so the page does it when somebody asks.
 */
export type OpenMapNode = (node: MapNode) => MapNode;

/** Nodes that one opening adds: as many as can be told apart in one picture. */
const maxOpened = 1000;

export function createMapOpener(flight: Flight, sums: ByteSums): OpenMapNode {
  const open = createByteOpener(flight, sums);
  /** A node that is opened again is the same one, so that what was drawn stays. */
  const opened = new WeakMap<MapNode, MapNode>();

  function openNode(node: MapNode): MapNode {
    const { inside } = node;
    switch (inside?.kind) {
      case 'tree':
        return { ...convertTree(flight, open(inside.node, maxOpened)), inside: undefined };
      case 'rows':
        return { ...node, children: listRows(flight, inside.rows, inside.from), inside: undefined };
      case undefined:
        return node;
    }
  }

  return (node) => {
    if (!node.inside) return node;
    const known = opened.get(node) ?? openNode(node);
    opened.set(node, known);
    return known;
  };
}
