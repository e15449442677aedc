import type { MouseEvent } from 'react';

import { type Flight, readHeader } from '#flight';

import type { Place } from './opened-flight.ts';

type PlaceLinkProps = {
  readonly flight: Flight;
  readonly place: Place;
  readonly onOpen: (place: Place) => void;
  /** The link's text; the row's name when left out. */
  readonly children?: string;
};

/** A link to bytes of the flight that is shown, as they were sent. */
export function PlaceLink({ flight, place, onOpen, children }: PlaceLinkProps) {
  const id = readHeader(flight.rows, place.row).id.toString(16);
  const bytes = place.start === undefined || place.end === undefined ? '' : `&bytes=${place.start}-${place.end}`;
  function open(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(place);
  }
  return (
    <a href={`#row=${id}${bytes}`} className="flight-place-link" onClick={open}>
      {children ?? `row ${id}`}
    </a>
  );
}
