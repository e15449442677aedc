import './flights.css';

import type { ReactNode } from 'react';

import { flightsPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** The head of every page about recorded flights: the link up, the title, and what the page is. */
export function FlightsHeading({ title, up, children }: { title: ReactNode; up?: boolean; children?: ReactNode }) {
  return (
    <div className="stack-2">
      {up ? (
        <p className="flex flex-wrap gap-x-4 text-quiet">
          <Link to={flightsPath} prefetch="intent">
            Flights
          </Link>
        </p>
      ) : null}
      <h1 className="[overflow-wrap:anywhere]">{title}</h1>
      {children}
    </div>
  );
}
