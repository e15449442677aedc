import {
  buildByteTree,
  byteKindNames,
  byteKinds,
  formatCount,
  type Attribution,
  type ByteKind,
  type ElementKind,
  type Flight,
  type RowRole,
} from '#flight';

import { convertTree } from './map-tree.ts';
import { keepLargest, makeLeaf, makePayload, sumBytes, type MapNode } from './map-node.ts';
import { readRowView } from './row-view.ts';

/**
 * The payload's bytes in four orders. Each is a tree whose children add up to their parent, and has every byte once:
 * see attribution.ts.
 */
export type ByteViews = Readonly<Record<ByteViewId, MapNode>>;

export type ByteViewId = 'nesting' | 'names' | 'kinds' | 'rows';

const elementLooks: Record<ElementKind, Pick<MapNode, 'what' | 'tone'>> = {
  host: { what: 'HTML element', tone: 'model' },
  client: { what: 'client component', tone: 'module' },
  react: { what: 'of React', tone: 'stream' },
  other: { what: 'other', tone: 'hint' },
};

type ElementBytes = Attribution['elements'][number];

function nameElement({ name, count }: ElementBytes): string {
  return `<${name}>${count === 1 ? '' : ` × ${formatCount(count)}`}`;
}

/** The bytes of each kind of element, and inside it the bytes of its props. */
function readNameView({ total, elements, props, outside }: Attribution): MapNode {
  const propsOf = new Map<string, MapNode[]>();
  for (const { element, prop, bytes, count, largest } of props) {
    const list = propsOf.get(element) ?? [];
    propsOf.set(element, list);
    const name = count === 1 ? prop : `${prop} × ${formatCount(count)}`;
    list.push({ ...makeLeaf(name, bytes, largest), what: 'prop', tone: 'text' });
  }
  const uses = new Map<string, number>();
  for (const { name } of elements) uses.set(name, (uses.get(name) ?? 0) + 1);
  const nodes = elements.map((element) => {
    const { name, kind, own, places } = element;
    const inner = propsOf.get(name) ?? [];
    const itself = own - sumBytes(inner);
    const [place] = places;
    const children =
      uses.get(name) === 1 && inner.length > 0
        ? keepLargest([...inner, makeLeaf('type, key, structure', itself, place)])
        : [];
    return { ...makeLeaf(nameElement(element), own, place), ...elementLooks[kind], children };
  });
  return makePayload(total, [...nodes, makeLeaf('outside elements', outside)]);
}

/** The colour of a kind of bytes. */
const kindTones: Record<ByteKind, RowRole> = {
  text: 'text',
  data: 'model',
  classes: 'stream',
  structure: 'debug',
  imports: 'module',
  binary: 'binary',
  errors: 'error',
  hints: 'hint',
  debug: 'debug',
  unread: 'error',
};

/** What the bytes are there for, and inside it the elements that they are in. */
function readKindView({ total, kinds, elements }: Attribution): MapNode {
  return makePayload(
    total,
    byteKinds.map((kind) => {
      const name = byteKindNames[kind];
      const look = { what: name, tone: kindTones[kind] };
      const inner = elements
        .filter((element) => element.kinds[kind] > 0)
        .map((element) => ({ ...makeLeaf(nameElement(element), element.kinds[kind], element.places[0]), ...look }));
      const outside = { ...makeLeaf('outside elements', kinds[kind] - sumBytes(inner)), ...look };
      const children = inner.length === 0 ? [] : keepLargest([...inner, outside]);
      return { ...makeLeaf(name, kinds[kind]), ...look, children };
    }),
  );
}

export function readByteViews(flight: Flight, attribution: Attribution): ByteViews {
  return {
    nesting: convertTree(flight, buildByteTree(flight, attribution)),
    names: readNameView(attribution),
    kinds: readKindView(attribution),
    rows: readRowView(flight, attribution),
  };
}
