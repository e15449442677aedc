import { describeControl } from '#flight';
import { Panel } from '../panel.tsx';
import { formatCount, type FlightError, type Flight } from '#flight';

import type { Place } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { useAddresses } from '../viewer-addresses.ts';

/** The most that are listed: the errors of a flight with more have one cause. */
const maxListed = 50;

type FlightErrorsProps = {
  readonly flight: Flight;
  readonly errors: readonly FlightError[];
  readonly onSelect: (place: Place) => void;
};

/** Shows the digest as it came, without a link: a payload may be anybody's, and only the server can say whether it knows the digest. */
function Digest({ digest }: { digest: string | undefined }) {
  if (digest === undefined || digest === '') return <span className="text-quiet">no digest</span>;
  const control = describeControl(digest);
  return (
    <span className="[overflow-wrap:anywhere]">
      <code>{digest}</code>
      {control === undefined ? null : <span className="text-quiet"> {control}: no failure</span>}
    </span>
  );
}

/** The errors in a flight, each with its digest and its row. */
export function FlightErrors({ flight, errors, onSelect }: FlightErrorsProps) {
  const { lookUp } = useAddresses();
  return (
    <Panel title={errors.length === 1 ? 'One error' : `${formatCount(errors.length)} errors`}>
      <ul className="grid gap-2 list-none">
        {errors.slice(0, maxListed).map((error) => (
          <li key={error.row} className="flex flex-wrap gap-x-4 ps-[0.6rem] border-s-3 border-s-error">
            <Digest digest={error.digest} />
            <RowLink flight={flight} row={error.row} onSelect={onSelect}>
              {`row ${error.id.toString(16)}`}
            </RowLink>
            {error.message === undefined ? null : (
              <span className="basis-full [overflow-wrap:anywhere]">
                {error.name ? `${error.name}: ` : ''}
                {error.message}
              </span>
            )}
          </li>
        ))}
      </ul>
      {errors.length > maxListed ? <p className="text-sm text-quiet">Only the first {maxListed} are listed.</p> : null}
      {errors.every((error) => error.message === undefined) ? (
        <p className="text-sm text-quiet">
          In production React sends nothing of an error but its digest. The server’s log has the rest.
          {lookUp === undefined ? null : (
            <>
              {' '}
              A digest that was recorded here can be <a href={lookUp}>looked up</a>.
            </>
          )}
        </p>
      ) : null}
    </Panel>
  );
}
