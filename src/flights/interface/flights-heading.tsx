import './flights.css';

import type { ReactNode } from 'react';

import { formatAppQuery } from '#src/ui/app-query.ts';
import { flightsPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

type FlightsHeadingProps = {
  readonly title: ReactNode;
  readonly up?: boolean;
  /** The list above is of this app. */
  readonly app?: string | undefined;
  readonly children?: ReactNode;
};

/** The head of every page about recorded flights: the link up, the title, and what the page is. */
export function FlightsHeading({ title, up, app, children }: FlightsHeadingProps) {
  return (
    <div className="stack-2">
      {up ? (
        <p className="flex flex-wrap gap-x-4 text-quiet">
          <Link to={`${flightsPath}${formatAppQuery(app)}`} prefetch="intent">
            Flights
          </Link>
        </p>
      ) : null}
      <h1 className="[overflow-wrap:anywhere]">{title}</h1>
      {children}
    </div>
  );
}
