import { countRowsWithin, formatCount } from '#flight';

import { formatPosition, readArrival } from './arrival.ts';
import type { OpenedFlight } from './opened-flight.ts';

type TimeNoticeProps = {
  readonly opened: OpenedFlight;
  readonly time: number;
  readonly onTime: (ms: number | undefined) => void;
};

/** Says that the flight is shown as it was at a time, not at its end, and offers a way back to the end. */
export function TimeNotice({ opened, time, onTime }: TimeNoticeProps) {
  const arrival = readArrival(opened);
  const rows = countRowsWithin(opened.flight, arrival.bytesAt(time));
  return (
    <p className="flight-time-notice" role="status">
      <span>
        At <strong>{formatPosition(arrival.unit, time)}</strong>: {formatCount(rows)} of{' '}
        {formatCount(opened.flight.rows.count)} rows had come.
      </span>
      <button type="button" className="button-small" onClick={() => onTime(undefined)}>
        Show the end
      </button>
    </p>
  );
}
