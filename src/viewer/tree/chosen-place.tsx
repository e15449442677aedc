import { formatBytes, formatCount } from '#flight';

import type { PanelProps } from '../opened-flight.ts';
import type { OutlineLine } from '../outline.ts';
import { PlaceLink } from '../place-link.tsx';
import { nameRow } from '../row-name.ts';
import { readNodePlace, type TreeNode } from './tree-source.ts';

type ChosenPlaceProps = Pick<PanelProps, 'opened' | 'onOpen'> & {
  readonly line: OutlineLine<TreeNode> | undefined;
};

/** Where the chosen line is in the payload. */
export function ChosenPlace({ line, opened, onOpen }: ChosenPlaceProps) {
  const place = line?.kind === 'node' ? readNodePlace(line.node) : undefined;
  if (!place) return null;
  const { start, end } = place;
  return (
    <p className="flight-readout flight-map-readout">
      <span>row {nameRow(opened.flight, place.row)}</span>
      {start === undefined || end === undefined ? null : (
        <span className="text-quiet">
          {formatBytes(end - start)}, bytes {formatCount(start)} to {formatCount(end)}
        </span>
      )}
      <PlaceLink flight={opened.flight} place={place} onOpen={onOpen}>
        Show the bytes
      </PlaceLink>
    </p>
  );
}
