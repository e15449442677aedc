import { formatBytes, formatBytesChange, formatCount, type DiffCause, type FlightDiff } from '#flight';

import { Panel } from '../panel.tsx';
import { Table, type Column } from '../table.tsx';

/** The largest say it; the table's last line has the rest. */
const maxShown = 8;

function countWords({ countBefore, countAfter }: DiffCause): string {
  if (countBefore === countAfter) return countAfter === 0 ? '' : `× ${formatCount(countAfter)}`;
  return `× ${formatCount(countBefore)} → ${formatCount(countAfter)}`;
}

function CauseName({ cause }: { cause: DiffCause }) {
  const props = cause.props.filter(({ name }) => name !== 'children');
  return (
    <>
      <span className="code">{cause.name}</span> <span className="text-quiet">{countWords(cause)}</span>
      {props.length > 0 ? (
        <span className="block text-quiet">
          {props.map(({ name, before, after }) => `${name} ${formatBytesChange(after - before)}`).join(', ')}
        </span>
      ) : null}
    </>
  );
}

const columns: readonly Column<DiffCause>[] = [
  { head: 'Element, with its own props and text', isRowName: true, cell: (cause) => <CauseName cause={cause} /> },
  { head: 'Before', cell: ({ before }) => formatBytes(before) },
  { head: 'After', cell: ({ after }) => formatBytes(after) },
  { head: 'Change', cell: ({ before, after }) => formatBytesChange(after - before) },
];

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
        <Table
          label="Bytes by element"
          className=""
          columns={columns}
          rows={others.length === 0 ? shown : [...shown, { name: `${others.length} others`, ...rest }]}
          keyOf={({ name }) => name}
        />
      </div>
    </Panel>
  );
}
