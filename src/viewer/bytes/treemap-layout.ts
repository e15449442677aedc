/**
 * Computes the rectangles of a treemap with the squarified layout (Bruls, Huizing, van Wijk 2000). It keeps rectangles
 * close to squares, so that their areas can be compared. Each rectangle is drawn around its children, with room for its
 * name above them.
 */
export type TreemapNode<Node> = { readonly bytes: number; readonly children: readonly Node[] };

export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type TreemapBox<Node> = Area & {
  readonly node: Node;
  /** The index of the child of the root, then of that child's child, and so on. */
  readonly path: readonly number[];
  /** Whether it is drawn as a frame, with its name above its children. */
  readonly isFrame: boolean;
};

export const titleHeight = 18;
/** The space around a frame's children. */
const padding = 3;
const gap = 1;
/** In a smaller rectangle no children are drawn: they would be too small to see. */
const leastInner = { width: 30, height: 14 };
/** The most rectangles that are drawn: as many as a screen can show. */
const maxBoxes = 1200;
/** The deepest nesting: the names of the outer frames leave no room for more. */
const maxDepth = 12;

type Weighted = { readonly index: number; readonly weight: number };

/** The worst proportion in a strip: 1 is a square. */
function worstRatio(sum: number, least: number, most: number, side: number): number {
  return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least));
}

/** How many of the items, from `from` on, make the best strip along `side`. `scale` turns weights into pixels. */
function countStrip(items: readonly Weighted[], from: number, side: number, scale: number): number {
  const most = (items[from]?.weight ?? 0) * scale;
  let sum = 0;
  let ratio = Infinity;
  for (let to = from; to < items.length; to++) {
    const area = (items[to]?.weight ?? 0) * scale;
    const next = worstRatio(sum + area, area, most, side);
    if (next > ratio) return to - from;
    ratio = next;
    sum += area;
  }
  return items.length - from;
}

/** One area for each weight, in the same order. A weight of 0 gets an empty area. The areas add up to the whole. */
export function squarify(weights: readonly number[], whole: Area): Area[] {
  const areas: Area[] = weights.map(() => ({ x: whole.x, y: whole.y, width: 0, height: 0 }));
  const items = weights
    .map((weight, index) => ({ index, weight }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  const scale = total === 0 ? 0 : (whole.width * whole.height) / total;
  if (scale === 0) return areas;
  let { x, y, width, height } = whole;
  for (let from = 0; from < items.length;) {
    const isColumn = width >= height;
    const side = isColumn ? height : width;
    const count = side > 0 ? countStrip(items, from, side, scale) : items.length - from;
    const strip = items.slice(from, from + count);
    const area = strip.reduce((sum, { weight }) => sum + weight, 0) * scale;
    const thickness = side > 0 ? area / side : 0;
    let along = 0;
    for (const { index, weight } of strip) {
      const length = thickness > 0 ? (weight * scale) / thickness : 0;
      areas[index] = isColumn
        ? { x, y: y + along, width: thickness, height: length }
        : { x: x + along, y, width: length, height: thickness };
      along += length;
    }
    if (isColumn) [x, width] = [x + thickness, Math.max(0, width - thickness)];
    else [y, height] = [y + thickness, Math.max(0, height - thickness)];
    from += count;
  }
  return areas;
}

/** The rectangles of what is in `root`: parents before their children. No two children of one parent overlap. */
export function layoutTreemap<Node extends TreemapNode<Node>>(
  root: Node,
  size: { readonly width: number; readonly height: number },
): TreemapBox<Node>[] {
  const boxes: TreemapBox<Node>[] = [];
  type Open = { node: Node; path: readonly number[]; area: Area };
  // Level by level, so that the deepest are left out when there are too many.
  let level: Open[] = [{ node: root, path: [], area: { x: 0, y: 0, ...size } }];
  for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
    const deeper: Open[] = [];
    for (const { node, path, area } of level) {
      const areas = squarify(
        node.children.map(({ bytes }) => bytes),
        area,
      );
      for (const [index, child] of node.children.entries()) {
        const cell = shrink(areas[index]);
        if (!cell || boxes.length >= maxBoxes) continue;
        const inner = innerArea(cell);
        const isFrame = child.children.length > 0 && inner !== undefined && depth + 1 < maxDepth;
        const childPath = [...path, index];
        boxes.push({ ...cell, node: child, path: childPath, isFrame });
        if (isFrame) deeper.push({ node: child, path: childPath, area: inner });
      }
    }
    level = deeper;
  }
  return boxes;
}

/** The area without the gap to its neighbours; undefined when it would be too small to see. */
function shrink(area: Area | undefined): Area | undefined {
  if (!area) return undefined;
  const width = area.width - gap;
  const height = area.height - gap;
  return width < 1 || height < 1 ? undefined : { x: area.x, y: area.y, width, height };
}

function innerArea({ x, y, width, height }: Area): Area | undefined {
  const inner = {
    x: x + padding,
    y: y + titleHeight,
    width: width - 2 * padding,
    height: height - titleHeight - padding,
  };
  return inner.width < leastInner.width || inner.height < leastInner.height ? undefined : inner;
}

/** Of a text that is cut: fewer say less than nothing. */
const leastCharacters = 6;

/**
 * The part of a text that fits into `width` pixels of a fixed-width font; undefined when it would say nothing.
 */
export function fitText(text: string, width: number, characterWidth: number): string | undefined {
  const room = Math.floor(width / characterWidth);
  if (text.length <= room) return text;
  return room < leastCharacters ? undefined : `${text.slice(0, room - 1)}…`;
}
