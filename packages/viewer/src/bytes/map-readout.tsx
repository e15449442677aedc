import { estimateCompressed, formatBytes, formatShare } from '#flight';

import type { MapNode } from './map-node.ts';
import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { useGzipSize } from '../use-gzip-size.ts';

type MapReadoutProps = Pick<PanelProps, 'opened' | 'onOpen'> & {
  readonly node: MapNode;
  readonly total: number;
  readonly onUnfold: (() => void) | undefined;
};

/** The node that is pointed at, chosen or shown: its whole name and size, and a link to its bytes. */
export function MapReadout({ opened, onOpen, node, total, onUnfold }: MapReadoutProps) {
  const gzip = useGzipSize(opened);
  const wire = gzip === undefined ? undefined : estimateCompressed(node.bytes, total, gzip);
  return (
    <p className="flight-readout flight-map-readout">
      <strong className="flight-map-name">{node.title}</strong>
      <span className="text-quiet">{node.what}</span>
      <span>
        {formatBytes(node.bytes)}, {formatShare(node.bytes, total)}
      </span>
      {wire === undefined ? null : <span className="text-quiet">about {formatBytes(wire)} with gzip</span>}
      {node.folded && onUnfold ? (
        <button type="button" className="flight-map-open" onClick={onUnfold}>
          one by one
        </button>
      ) : null}
      {node.place === undefined ? null : (
        <PlaceLink flight={opened.flight} place={node.place} onOpen={onOpen}>
          Show the bytes
        </PlaceLink>
      )}
    </p>
  );
}

/** What each colour stands for. Only the kinds that are drawn here, not all possible ones: several may have one colour. */
function readLegend(node: MapNode): [tone: MapNode['tone'], kinds: ReadonlySet<string>][] {
  const found = new Map<MapNode['tone'], Set<string>>();
  const open = [...node.children];
  for (let next = open.pop(); next; next = open.pop()) {
    found.set(next.tone, (found.get(next.tone) ?? new Set()).add(next.what));
    for (const child of next.children) open.push(child);
  }
  return [...found];
}

export function MapLegend({ node }: { readonly node: MapNode }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-[0.1rem] px-3 pb-[0.45rem] list-none" aria-label="Colours">
      {readLegend(node).map(([tone, kinds]) => (
        <li key={tone} className="flight-kind" data-row-kind={tone}>
          {[...kinds].join(', ')}
        </li>
      ))}
    </ul>
  );
}
