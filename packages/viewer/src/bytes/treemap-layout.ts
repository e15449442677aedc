/**
 * Computes the rectangles of a treemap with the squarified layout (Bruls, Huizing, van Wijk 2000). It keeps rectangles
 * close to squares, so that their areas can be compared. Each rectangle is drawn around its children, with room for its
 * name above them.
 */
export type TreemapNode<Node> = {
  readonly bytes: number;
  readonly children: readonly Node[];
  /** A range of a longer list: ranges stay in their order, and what is in them is not drawn. */
  readonly isRange?: boolean;
};

export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type TreemapBox<Node> = Area & {
  readonly node: Node;
  /** The index of the child of the root, then of that child's child, and so on. */
  readonly path: readonly number[];
  /** Whether it is drawn as a frame, with its name above its children. */
  isFrame: boolean;
};

export const titleHeight = 18;
/** The space around a frame's children. */
const padding = 3;
const gap = 1;
/** In a smaller rectangle no children are drawn: they would be too small to see. */
const leastInner = { width: 30, height: 14 };
/** A child that is smaller on a side is a dot. */
const leastCell = 6;
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
  let most = 0;
  let least = Infinity;
  let sum = 0;
  let ratio = Infinity;
  for (let to = from; to < items.length; to++) {
    const area = (items[to]?.weight ?? 0) * scale;
    most = Math.max(most, area);
    least = Math.min(least, area);
    const next = worstRatio(sum + area, least, most, side);
    if (next > ratio) return to - from;
    ratio = next;
    sum += area;
  }
  return items.length - from;
}

/**
 * One area for each weight, in the same order. A weight of 0 gets an empty area. The areas add up to the whole. The largest
 * is at the top left; when `inOrder`, the first is, and the others follow as lines of a text do.
 */
export function squarify(weights: readonly number[], whole: Area, inOrder = false): Area[] {
  const areas: Area[] = weights.map(() => ({ x: whole.x, y: whole.y, width: 0, height: 0 }));
  const items = weights.map((weight, index) => ({ index, weight })).filter(({ weight }) => weight > 0);
  if (!inOrder) items.sort((a, b) => b.weight - a.weight);
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  const scale = total === 0 ? 0 : (whole.width * whole.height) / total;
  if (scale === 0) return areas;
  let { x, y, width, height } = whole;
  for (let from = 0; from < items.length;) {
    const isColumn = width >= height && !inOrder;
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
  // Level by level, so that the deepest are left out when there are too many.
  let level: Open<Node>[] = [{ node: root, path: [], area: { x: 0, y: 0, ...size }, frame: undefined }];
  for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
    const deeper: Open<Node>[] = [];
    for (const open of level) {
      const cells = listCells(open);
      // A frame that is empty, or full of dots, says less than a plain box.
      if (open.frame) {
        if (boxes.length + cells.length > maxBoxes || !canBeSeen(cells, open.area)) continue;
        open.frame.isFrame = true;
      }
      for (const { node, path, area } of cells.slice(0, maxBoxes - boxes.length)) {
        const frame = { ...area, node, path, isFrame: false };
        boxes.push(frame);
        const inner = innerArea(area);
        if (node.children.length > 0 && inner && !node.isRange) deeper.push({ node, path, area: inner, frame });
      }
    }
    level = deeper;
  }
  return boxes;
}

type Cell<Node> = { readonly node: Node; readonly path: readonly number[]; readonly area: Area };

/** A node whose children are to be drawn. `frame` is its own box; the root has none. */
type Open<Node> = Cell<Node> & { readonly frame: TreemapBox<Node> | undefined };

function listCells<Node extends TreemapNode<Node>>({ node, path, area }: Open<Node>): Cell<Node>[] {
  const weights = node.children.map(({ bytes }) => bytes);
  const areas = squarify(
    weights,
    area,
    node.children.some(({ isRange }) => isRange),
  );
  return node.children.flatMap((child, index) => {
    const cell = shrink(areas[index]);
    return cell ? [{ node: child, path: [...path, index], area: cell }] : [];
  });
}

/** Whether most of the area is in cells that are more than dots. */
function canBeSeen(cells: readonly { readonly area: Area }[], { width, height }: Area): boolean {
  let seen = 0;
  for (const { area } of cells) {
    if (Math.min(area.width, area.height) >= leastCell) seen += area.width * area.height;
  }
  return seen > (width * height) / 2;
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

/** The longest name of which only the whole is shown: half of `2,201 to 2,300` says something else. */
const longestWhole = 24;

/** Of a longer name (a text, a chain, an object) the beginning says what it is, when there is as much of it. */
const leastBeginning = 16;

/** The part of a name that fits into `width` pixels of a fixed-width font; undefined when it would say nothing. */
export function fitText(text: string, width: number, characterWidth: number): string | undefined {
  const room = Math.floor(width / characterWidth);
  if (text.length <= room) return text;
  return text.length <= longestWhole || room < leastBeginning ? undefined : `${text.slice(0, room - 1)}…`;
}
