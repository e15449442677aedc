import { formatRowName } from '#viewer/view-hash.ts';
import { type Flight, formatBytes, formatCount, printRow, readHeader, readRow, rowTagOf } from '#flight';
import { TableHead } from '#viewer/table-head.tsx';

/** Makes a page of some 40 kB. For all rows, export the flight. */
const rowsShown = 200;

/** Names a row's kind in the words of the viewer. */
function nameKind(flight: Flight, row: number): string {
  return rowTagOf(readHeader(flight.rows, row).tag).name;
}

/** The first rows, for a browser without JavaScript. The address of a row leads to it here, too. */
export function PlainRows({ flight }: { flight: Flight }) {
  const count = Math.min(flight.rows.count, rowsShown);
  if (count === 0) return <p>The payload has no rows.</p>;
  const rows = Array.from({ length: count }, (_, row) => readRow(flight, row));
  return (
    <>
      <table className="rows-table" aria-label="Rows">
        <TableHead columns={['Row', 'Kind', 'Size', 'Value']} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.row} id={`row=${formatRowName(flight, row.row)}`}>
              <th scope="row" className="font-mono">
                {formatRowName(flight, row.row)}
              </th>
              <td className="whitespace-nowrap">{nameKind(flight, row.row)}</td>
              <td className="whitespace-nowrap">{formatBytes(row.end - row.start)}</td>
              <td>{printRow(flight, row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {flight.rows.count > count ? (
        <p className="text-sm text-quiet">
          The first {count} of {formatCount(flight.rows.count)} rows. The exported file has all of them.
        </p>
      ) : null}
    </>
  );
}
