import { useCallback } from 'react';

import { formatBytes, type Flight, type FoundFlight, type OneFile, type Place } from '#flight';

import { Link } from '#src/runtime/navigation/link.tsx';
import type { DiffLinks } from '#viewer/diff/diff-view.ts';
import { FlightDiff } from '#viewer/diff/flight-diff.tsx';
import { formatRowName } from '#viewer/view-hash.ts';
import { compareFlights } from './compare-task.ts';
import { toDecodeAddress, type Chosen, type Shown } from './decode-address.ts';
import { describeFound } from './describe-found.ts';
import { decodeFound } from './read-content.ts';
import { SaveAsOneFile } from './save-as-one-file.tsx';
import { toSavedFlight } from './to-saved-flight.ts';
import type { Files } from './use-files.ts';
import { useTask } from './use-task.ts';

type CompareFilesProps = { readonly files: Files; readonly shown: Shown & { readonly kind: 'compare' } };

type Side = {
  readonly chosen: Chosen;
  readonly title: string;
  readonly found: FoundFlight;
  readonly flight: Flight;
};

async function openSide({ list = [], read }: Pick<Files, 'list' | 'read'>, chosen: Chosen): Promise<Side> {
  const file = list.find(({ id }) => id === chosen.file);
  if (!file) throw new Error('This browser no longer keeps one of the two files.');
  const content = await read(file);
  const found = content.kind === 'flights' ? content.flights[chosen.flight] : undefined;
  if (!found) throw new Error(`There is no such flight in ${file.name}.`);
  const { title } = describeFound(found, file.name);
  const name = title === file.name ? title : `${title}, ${file.name}`;
  return { chosen, title: name, found, flight: await decodeFound(found) };
}

async function makeFile({ before, after }: { before: Side; after: Side }): Promise<Omit<OneFile, 'savedAt'>> {
  const title = `${before.title} and ${after.title}`;
  const flights = await Promise.all([before, after].map((side) => toSavedFlight(side.found, side.title)));
  return { title, flights, comparisons: [{ title, before: 0, after: 1, lines: [] }], texts: [] };
}

function createLinks(shown: CompareFilesProps['shown'], sides: { before: Side; after: Side }): DiffLinks {
  function toRow(side: 'before' | 'after', { row, start, end }: Place): string {
    const { chosen, flight } = sides[side];
    const bytes = start === undefined || end === undefined ? '' : `&bytes=${start}-${end}`;
    return `${toDecodeAddress({ kind: 'file', ...chosen })}#row=${formatRowName(flight, row)}${bytes}`;
  }
  return {
    toPlace: (side, place, text, label) => (
      <Link to={toRow(side, place)} prefetch="never" scroll={false} aria-label={label}>
        {text}
      </Link>
    ),
    toView: (view, text) => (
      <Link to={toDecodeAddress({ ...shown, view })} prefetch="never">
        {text}
      </Link>
    ),
  };
}

/** Two flights of files that were opened here, compared in this browser. */
export function CompareFiles({ files, shown }: CompareFilesProps) {
  const { list, read } = files;
  const { before: first, after: second } = shown;
  const task = useTask(
    useCallback(async () => {
      const one = { file: first.file, flight: first.flight };
      const other = { file: second.file, flight: second.flight };
      const [before, after] = [await openSide({ list, read }, one), await openSide({ list, read }, other)];
      return { before, after, diff: await compareFlights({ before: before.flight, after: after.flight }) };
    }, [list, read, first.file, first.flight, second.file, second.flight]),
  );
  if (task.status === 'running') return <p role="status">Comparing …</p>;
  if (task.status === 'failed') {
    return (
      <div role="alert" className="panel decode-problem">
        <h2>They cannot be compared</h2>
        <p>{task.reason}</p>
      </div>
    );
  }
  const { before, after, diff } = task.value;
  return (
    <>
      <div className="text-sm [overflow-wrap:anywhere]">
        {[before, after].map(({ chosen, title, flight }, index) => (
          <p key={index}>
            {index === 0 ? 'Before: ' : 'After: '}
            <Link to={toDecodeAddress({ kind: 'file', ...chosen })} prefetch="never" scroll={false}>
              {title}
            </Link>
            <span className="text-quiet">, {formatBytes(flight.bytes.length)}</span>
          </p>
        ))}
        <Link
          to={toDecodeAddress({ ...shown, before: shown.after, after: shown.before })}
          prefetch="never"
          scroll={false}
        >
          Swap before and after
        </Link>
        <p className="pt-2">
          <SaveAsOneFile make={() => makeFile({ before, after })} />
        </p>
      </div>
      <FlightDiff diff={diff} view={shown.view} links={createLinks(shown, { before, after })} />
    </>
  );
}
