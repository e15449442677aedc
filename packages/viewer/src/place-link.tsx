import type { MouseEvent } from 'react';

import type { Flight } from '#flight';

import type { Place } from './opened-flight.ts';
import { formatRowName, formatViewHash } from './view-hash.ts';

type PlaceLinkProps = {
  readonly flight: Flight;
  readonly place: Place;
  readonly onOpen: (place: Place) => void;
  /** The link's text; the row's name when left out. */
  readonly children?: string;
};

/** A link to bytes of the flight that is shown, as they were sent. */
export function PlaceLink({ flight, place, onOpen, children }: PlaceLinkProps) {
  function open(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(place);
  }
  return (
    <a
      href={formatViewHash(flight, { tab: 'rows', selected: place, time: undefined })}
      className="text-accent-text text-[0.8125rem]"
      onClick={open}
    >
      {children ?? `row ${formatRowName(flight, place.row)}`}
    </a>
  );
}
