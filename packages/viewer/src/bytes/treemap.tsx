import { formatBytes, formatShare } from '#flight';
import { memo, useId, useMemo, useRef, type KeyboardEvent, type SyntheticEvent } from 'react';

import type { MapNode } from './map-node.ts';
import { fitText, layoutTreemap, titleHeight, type TreemapBox } from './treemap-layout.ts';
import { useWidth } from '../use-width.ts';

/** The width of a character in the labels' font, 11 pixels high: bytes-panel.css. */
const characterWidth = 6.7;

type Box = TreemapBox<MapNode>;

type TreemapProps = {
  /** Its children are drawn. */
  readonly node: MapNode;
  /** The payload's bytes, for shares. */
  readonly total: number;
  /** The child that has the keyboard focus. */
  readonly current: number;
  /** The id of the text that says which keys there are. */
  readonly describedBy: string;
  readonly onCurrent: (child: number) => void;
  /** Called with the node that is pointed at; it is shown beside the map. */
  readonly onPoint: (node: MapNode | undefined) => void;
  /** Called with the path of the chosen box, from `node`. */
  readonly onChoose: (path: readonly number[]) => void;
  readonly onUp: () => void;
};

function describe(node: MapNode, total: number): string {
  const inside = node.children.length === 0 && !node.inside ? '' : ', opens';
  return `${node.title}, ${node.what}: ${formatBytes(node.bytes)}, ${formatShare(node.bytes, total)}${inside}`;
}

function readIndex(event: SyntheticEvent): number {
  const target = event.target instanceof Element ? event.target.closest('[data-box]') : undefined;
  return Number(target?.getAttribute('data-box') ?? -1);
}

/** The bytes as areas. The arrow keys go from the largest child to the smallest, Enter opens one, Escape goes back. */
export function Treemap(props: TreemapProps) {
  const { node, total, current, describedBy, onCurrent, onPoint, onChoose, onUp } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const height = Math.round(Math.max(300, Math.min(width * 0.5, 440)));
  const boxes = useMemo(() => (width === 0 ? [] : layoutTreemap(node, { width, height })), [node, width, height]);
  const id = useId();
  const last = boxes.findLastIndex(({ path }) => path.length === 1);
  const children = boxes.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? 0);

  function move(event: KeyboardEvent) {
    const at = children.indexOf(current);
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: children.length - 1,
    };
    const wanted = moves[event.key];
    const next = wanted === undefined ? undefined : children[Math.max(0, Math.min(wanted, children.length - 1))];
    if (next !== undefined) onCurrent(next);
    else if (event.key === 'Enter' || event.key === ' ') onChoose([current]);
    else if (event.key === 'Escape' || event.key === 'Backspace') onUp();
    else return;
    event.preventDefault();
  }

  function choose(event: SyntheticEvent) {
    const box = boxes[readIndex(event)];
    if (box) onChoose(box.path);
  }

  return (
    <div ref={frame} className="flight-map" style={{ height }}>
      <svg
        role="tree"
        tabIndex={0}
        aria-label={`Map of ${node.name}`}
        aria-activedescendant={`${id}-${current}`}
        aria-describedby={describedBy}
        width={width}
        height={height}
        onClick={choose}
        onKeyDown={move}
        onFocus={(event) => {
          // Of a click, the box that was clicked is told.
          if (event.currentTarget.matches(':focus-visible')) onCurrent(current);
        }}
        onPointerOver={(event) => onPoint(boxes[readIndex(event)]?.node)}
        onPointerLeave={() => onPoint(undefined)}
      >
        <Boxes id={id} boxes={boxes} last={last} total={total} current={current} />
      </svg>
    </div>
  );
}

type BoxesProps = {
  readonly id: string;
  readonly boxes: readonly Box[];
  /** Boxes up to this index are the node's own children; the following ones are inside them. */
  readonly last: number;
  readonly total: number;
  readonly current: number;
};

/** Drawn again when the map changes, not when the pointer moves. */
const Boxes = memo(function DrawBoxes({ id, boxes, last, total, current }: BoxesProps) {
  return boxes.map((box, index) => {
    const isChild = index <= last;
    const isCurrent = isChild && box.path[0] === current;
    return (
      <g
        key={box.path.join('.')}
        data-box={index}
        data-row-kind={box.node.tone}
        data-frame={box.isFrame || undefined}
        className="flight-map-box"
        {...(isChild
          ? {
              id: `${id}-${box.path[0]}`,
              role: 'treeitem',
              'aria-selected': isCurrent,
            }
          : { 'aria-hidden': true })}
      >
        <title>{describe(box.node, total)}</title>
        <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={Math.min(3, box.width / 4)} />
        <Label box={box} total={total} />
      </g>
    );
  });
});

/** A box's name, with its size after it or below it, as far as there is room. */
function Label({ box, total }: { readonly box: Box; readonly total: number }) {
  const { node, x, y, width, height, isFrame } = box;
  const room = width - 10;
  const size = `${formatBytes(node.bytes)} · ${formatShare(node.bytes, total)}`;
  const name = fitText(node.name, room, characterWidth);
  if (name === undefined || height < titleHeight - 3) return null;
  const hasRoomBelow = !isFrame && height >= 2 * titleHeight - 3 && size.length * characterWidth <= room;
  const hasRoomBeside = !hasRoomBelow && (name.length + size.length + 2) * characterWidth <= room;
  return (
    <text x={x + 5} y={y + 13} aria-hidden="true">
      {name}
      {hasRoomBelow ? (
        <tspan x={x + 5} dy={15} className="flight-map-size">
          {size}
        </tspan>
      ) : null}
      {hasRoomBeside ? (
        <tspan dx={2 * characterWidth} className="flight-map-size">
          {size}
        </tspan>
      ) : null}
    </text>
  );
}
