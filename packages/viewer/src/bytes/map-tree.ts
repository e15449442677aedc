import { type ByteNode, type Flight } from '#flight';

import { makeLeaf, rangeLook, type MapNode } from './map-node.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';

/** The byte tree of the package (byte-tree.ts there) as nodes of the map. */
function describeNode(flight: Flight, { kind, place }: ByteNode): Pick<MapNode, 'what' | 'tone'> {
  switch (kind) {
    case 'row': {
      if (!place) return { what: 'row', tone: 'model' };
      const { name, kind: tone } = describeTag(tagOf(readRowTable(flight), place.row));
      return tone === 'model' ? { what: 'row', tone: 'hint' } : { what: name, tone };
    }
    case 'element':
      return { what: 'element', tone: 'model' };
    case 'prop':
      return { what: 'prop', tone: 'stream' };
    case 'value':
      return { what: 'text and values', tone: 'text' };
    case 'payload':
    case 'group':
      return { what: 'group', tone: 'hint' };
    case 'range':
      return { what: rangeLook.what, tone: rangeLook.tone };
    case 'itself':
    case 'others':
      return { what: 'the rest', tone: 'debug' };
  }
}

function nameNode({ kind, name }: ByteNode): string {
  return kind === 'itself' && name === 'itself' ? 'its own structure' : name;
}

export function convertTree(flight: Flight, node: ByteNode): MapNode {
  const { bytes, place, chain } = node;
  const name = nameNode(node);
  return {
    ...makeLeaf(name, bytes, place),
    title: chain.length === 0 ? name : chain.join(' › '),
    ...describeNode(flight, node),
    children: sortChildren(node).map((child) => convertTree(flight, child)),
    inside: node.isClosed ? { kind: 'tree', node } : undefined,
    folded: canUnfold(node) ? node : undefined,
    isRange: node.kind === 'range',
  };
}

function canUnfold({ kind, count }: ByteNode): boolean {
  return count > 1 && (kind === 'element' || kind === 'prop' || kind === 'value' || kind === 'row');
}

/** The pieces of a long list stay in their order; all else begins with the largest. */
function sortChildren({ children }: ByteNode): readonly ByteNode[] {
  return children.some(({ kind }) => kind === 'range') ? children : children.toSorted((a, b) => b.bytes - a.bytes);
}
