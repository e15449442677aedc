import { formatBytes, formatCount, formatDuration } from '#flight';

import { readArrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import { useGzipSize } from '../use-gzip-size.ts';

type Total = { readonly name: string; readonly says: string; readonly value: string };

const notKnown = '–';

/** The two sizes of the response around the rows. A payload that stands alone, as pasted, has no response. */
function readResponseSizes({ sizes, response }: OpenedFlight): Total[] {
  if (!sizes) return [];
  const codec = response?.transfer?.codec;
  const sent =
    codec === 'identity' ? 'As it was sent, not compressed' : `As it was sent, compressed with ${codec ?? ''}`;
  const list = [
    { name: 'Response', bytes: sizes.response, says: 'The body before compression, with the HTML around the rows' },
    {
      name: 'Transferred',
      bytes: sizes.transferred,
      says: codec === undefined ? 'As it was sent, compressed or not' : sent,
    },
  ];
  return list.map(({ name, bytes, says }) => ({
    name,
    says: bytes === undefined ? 'Not known' : says,
    value: bytes === undefined ? notKnown : formatBytes(bytes),
  }));
}

function readTimes(opened: OpenedFlight): Total {
  const { length } = opened.chunks;
  if (length === 0) return { name: 'Times', says: 'It came without times', value: 'unknown' };
  const name = length === 1 ? 'In one chunk' : `In ${formatCount(length)} chunks`;
  return { name, says: 'Until its last byte', value: formatDuration(readArrival(opened).end) };
}

/** How large it is, in each way of measuring that is known, and how long it took. */
export function FlightTotals({ opened }: { readonly opened: OpenedFlight }) {
  const { flight, bytes } = opened;
  const gzip = useGzipSize(opened);
  const { count } = flight.rows;
  const totals: Total[] = [
    { name: count === 1 ? 'Row' : 'Rows', says: 'Rows of the payload', value: formatCount(count) },
    { name: 'Flight', says: 'The rows alone, before compression', value: formatBytes(bytes.length) },
    ...readResponseSizes(opened),
    {
      name: 'With gzip, estimated',
      says: 'The rows alone, compressed in this browser',
      value: gzip === undefined ? '…' : formatBytes(gzip),
    },
    readTimes(opened),
  ];
  return (
    <dl className="flight-totals">
      {totals.map(({ name, says, value }) => (
        <div key={name} title={says}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
