import type { MouseEvent } from 'react';

import { type Flight, printRow, readRow } from '#flight';

import type { Place } from './opened-flight.ts';
import { formatRowName } from './view-hash.ts';

type RowLinkProps = {
  readonly flight: Flight;
  readonly row: number;
  readonly onSelect: (place: Place) => void;
  /** The link's text; the row's id when left out. */
  readonly children?: string;
};

/** A link to a row of the flight that is shown. It is a real link, so that its address can be copied. */
export function RowLink({ flight, row, onSelect, children }: RowLinkProps) {
  const name = formatRowName(flight, row);
  function select(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect({ row });
  }
  return (
    <a
      href={`#row=${name}`}
      className="flight-row-link"
      title={printRow(flight, readRow(flight, row))}
      onClick={select}
    >
      {children ?? name}
    </a>
  );
}
