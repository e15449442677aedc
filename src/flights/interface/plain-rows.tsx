import { formatRowName } from '#viewer/view-hash.ts';
import { type Flight, formatBytes, formatCount, printRow, readHeader, readRow, rowTagOf } from '#flight';
import { Table, type Column } from '#viewer/table.tsx';

/** Makes a page of some 40 kB. For all rows, export the flight. */
const rowsShown = 200;

/** Names a row's kind in the words of the viewer. */
function nameKind(flight: Flight, row: number): string {
  return rowTagOf(readHeader(flight.rows, row).tag).name;
}

function listColumns(flight: Flight): readonly Column<ReturnType<typeof readRow>>[] {
  return [
    { head: 'Row', isRowName: true, className: 'font-mono', cell: ({ row }) => formatRowName(flight, row) },
    { head: 'Kind', className: 'whitespace-nowrap', cell: ({ row }) => nameKind(flight, row) },
    { head: 'Size', className: 'whitespace-nowrap', cell: ({ start, end }) => formatBytes(end - start) },
    { head: 'Value', cell: (row) => printRow(flight, row) },
  ];
}

/** The first rows, for a browser without JavaScript. The address of a row leads to it here, too. */
export function PlainRows({ flight }: { flight: Flight }) {
  const count = Math.min(flight.rows.count, rowsShown);
  if (count === 0) return <p>The payload has no rows.</p>;
  const rows = Array.from({ length: count }, (_, row) => readRow(flight, row));
  return (
    <>
      <Table
        label="Rows"
        className="rows-table"
        columns={listColumns(flight)}
        rows={rows}
        keyOf={({ row }) => row}
        rowProps={({ row }) => ({ id: `row=${formatRowName(flight, row)}` })}
      />
      {flight.rows.count > count ? (
        <p className="text-sm text-quiet">
          The first {count} of {formatCount(flight.rows.count)} rows. The exported file has all of them.
        </p>
      ) : null}
    </>
  );
}
