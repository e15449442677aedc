import { formatBytes, formatCount, formatShare } from '#flight';
import { describeTag, type RowTable } from '../row-table.ts';

/** One bar of all bytes, and what its parts are. */
export function BytesByKind({ table }: { table: RowTable }) {
  const total = Math.max(
    1,
    table.kinds.reduce((sum, kind) => sum + kind.bytes, 0),
  );
  return (
    <>
      <div className="flight-share-bar" aria-hidden="true">
        {table.kinds.map(({ tag, bytes }) => (
          <span key={tag} data-row-kind={describeTag(tag).kind} style={{ flexGrow: bytes / total }} />
        ))}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" data-number>
              Rows
            </th>
            <th scope="col" data-number>
              Bytes
            </th>
            <th scope="col" data-number className="pr-0!">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {table.kinds.map(({ tag, rows, bytes }) => {
            const { name, kind } = describeTag(tag);
            return (
              <tr key={tag}>
                <th scope="row">
                  <span className="flight-kind" data-row-kind={kind}>
                    {name}
                  </span>
                </th>
                <td data-number>{formatCount(rows)}</td>
                <td data-number>{formatBytes(bytes)}</td>
                <td data-number className="pr-0!">
                  {formatShare(bytes, total)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
