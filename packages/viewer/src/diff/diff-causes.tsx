import { formatBytes, formatBytesChange, formatCount, type DiffCause, type FlightDiff } from '#flight';

import { Panel } from '../panel.tsx';
import { TableHead } from '../table-head.tsx';

/** The largest say it; the table's last line has the rest. */
const maxShown = 8;

function countWords({ countBefore, countAfter }: DiffCause): string {
  if (countBefore === countAfter) return countAfter === 0 ? '' : `× ${formatCount(countAfter)}`;
  return `× ${formatCount(countBefore)} → ${formatCount(countAfter)}`;
}

function Cause({ cause }: { cause: DiffCause }) {
  const props = cause.props.filter(({ name }) => name !== 'children');
  return (
    <tr>
      <th scope="row">
        <span className="code">{cause.name}</span> <span className="text-quiet">{countWords(cause)}</span>
        {props.length > 0 ? (
          <span className="block text-quiet">
            {props.map(({ name, before, after }) => `${name} ${formatBytesChange(after - before)}`).join(', ')}
          </span>
        ) : null}
      </th>
      <td>{formatBytes(cause.before)}</td>
      <td>{formatBytes(cause.after)}</td>
      <td>{formatBytesChange(cause.after - cause.before)}</td>
    </tr>
  );
}

/** Shows which elements are larger or smaller. Each byte of a flight belongs to one element, so the changes add up. */
export function DiffCauses({ diff: { causes } }: { readonly diff: FlightDiff }) {
  if (causes.length === 0) return null;
  const shown = causes.length > maxShown + 1 ? causes.slice(0, maxShown) : causes;
  const others = causes.slice(shown.length);
  const sum = (side: 'before' | 'after') => others.reduce((total, cause) => total + cause[side], 0);
  const rest = { before: sum('before'), after: sum('after'), countBefore: 0, countAfter: 0, props: [] };
  return (
    <Panel title="What accounts for it">
      <div className="diff-table">
        <table aria-label="Bytes by element">
          <TableHead columns={['Element, with its own props and text', 'Before', 'After', 'Change']} />
          <tbody>
            {shown.map((cause) => (
              <Cause key={cause.name} cause={cause} />
            ))}
            {others.length === 0 ? null : <Cause cause={{ name: `${others.length} others`, ...rest }} />}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
