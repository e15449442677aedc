import { flightPath } from '#src/http/addresses.ts';
import { formatRowName } from '../view-hash.ts';
import { EmptyState } from '#src/components/empty-state.tsx';
import { Panel } from '#src/components/panel.tsx';
import { formatBytes, type DiffEntry, type DiffValue, type FlightDiff as Diff, type Flight } from '#flight';
import { Link } from '#src/runtime/navigation/link.tsx';

/** One side: the flight's id, and its decoded payload. */
export type DiffSide = { readonly id: number; readonly flight: Flight };

/** Makes a page of some 100 kB. For more differences, compare smaller pages. */
const shown = 200;
/** Steps shown of a path. Its end is the useful part. */
const stepsShown = 6;
const kinds = ['added', 'removed', 'changed', 'moved'] as const;

function toRow({ id, flight }: DiffSide, { row, start, end }: DiffValue['place']): string {
  const bytes = start === undefined || end === undefined ? '' : `&bytes=${start}-${end}`;
  return `${flightPath(id)}#row=${formatRowName(flight, row)}${bytes}`;
}

function Value({ value, side, sign }: { value: DiffValue | undefined; side: DiffSide; sign: '−' | '+' }) {
  if (!value) return null;
  return (
    <p className={sign === '+' ? 'diff-line diff-added' : 'diff-line diff-removed'}>
      <span aria-hidden="true">{sign}</span>
      <span className="code min-w-0">{value.text}</span>
      <Link
        to={toRow(side, value.place)}
        prefetch="never"
        className="whitespace-nowrap"
        aria-label={`${formatBytes(value.bytes)}, see it in flight ${side.id}`}
      >
        {formatBytes(value.bytes)}
      </Link>
    </p>
  );
}

function Path({ path }: { path: readonly string[] }) {
  const steps = path.slice(-stepsShown);
  return (
    <p className="code text-quiet">
      {path.length > steps.length ? '… › ' : ''}
      {steps.join(' › ') || 'the root'}
    </p>
  );
}

function Entry({ entry, before, after }: { entry: DiffEntry; before: DiffSide; after: DiffSide }) {
  return (
    <li className="diff-entry">
      <span className={entry.kind === 'removed' ? 'tag tag-bad' : entry.kind === 'added' ? 'tag tag-good' : 'tag'}>
        {entry.kind}
      </span>
      <div className="min-w-0">
        <Path path={entry.path} />
        <Value value={entry.before} side={before} sign="−" />
        <Value value={entry.after} side={after} sign="+" />
      </div>
    </li>
  );
}

function NotSent({ notSent }: { notSent: Diff['notSent'] }) {
  if (notSent.length === 0) return null;
  return (
    <p className="text-sm text-quiet">
      Not compared, because one of the two did not carry it:{' '}
      {notSent.map(({ key, missingIn, bytes }) => `${key} (not ${missingIn}, ${formatBytes(bytes)})`).join(', ')}.
    </p>
  );
}

/**
 * What is different, by its place in the page. The ids of rows do not count, because they differ from render to render.
 */
export function FlightDiff({ diff, before, after }: { diff: Diff; before: DiffSide; after: DiffSide }) {
  const total = kinds.reduce((sum, kind) => sum + diff.counts[kind], 0);
  return (
    <Panel
      title="What is different"
      aside={
        total > 0 ? (
          <span className="text-sm">
            {kinds.map((kind) => `${diff.counts[kind]} ${kind}`).join(', ')} · +{formatBytes(diff.addedBytes)} −
            {formatBytes(diff.removedBytes)}
          </span>
        ) : null
      }
    >
      {total === 0 ? (
        <EmptyState title="Nothing">
          <p>The two payloads have the same content. Only the ids of their rows may differ.</p>
        </EmptyState>
      ) : (
        <ol className="list-none p-0 text-sm" aria-label="Differences">
          {diff.entries.slice(0, shown).map((entry, index) => (
            <Entry key={index} entry={entry} before={before} after={after} />
          ))}
        </ol>
      )}
      {total > shown || diff.isCut ? (
        <p className="text-sm text-quiet">The first {Math.min(shown, diff.entries.length)} differences.</p>
      ) : null}
      <NotSent notSent={diff.notSent} />
    </Panel>
  );
}
