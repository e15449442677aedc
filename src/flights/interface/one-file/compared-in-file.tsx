import { useMemo } from 'react';

import { diffFlights, formatBytes, type Flight, type OneFile, type Place, type SavedComparison } from '#flight';
import { type DiffLinks, type DiffView } from '#viewer/diff/diff-view.ts';
import { FlightDiff } from '#viewer/diff/flight-diff.tsx';
import { formatRowName } from '#viewer/view-hash.ts';

import { decodeSaved } from './open-saved.ts';
import { formatShownInFile, type ShownInFile } from './shown-in-file.ts';

type ComparedProps = {
  readonly file: OneFile;
  readonly comparison: SavedComparison;
  readonly shown: ShownInFile & { readonly kind: 'comparison' };
};

type Side = { readonly index: number; readonly title: string; readonly flight: Flight };

function openSide({ flights }: OneFile, index: number | undefined): Side | undefined {
  const saved = index === undefined ? undefined : flights[index];
  return saved && index !== undefined ? { index, title: saved.title, flight: decodeSaved(saved) } : undefined;
}

function toFlight({ index }: Side): string {
  return `#show=${index + 1}`;
}

function SideLine({ name, side }: { readonly name: string; readonly side: Side | undefined }) {
  if (!side) return <p>{name}: not there</p>;
  return (
    <p>
      {name}: <a href={toFlight(side)}>{side.title}</a>
      <span className="text-quiet">, {formatBytes(side.flight.bytes.length)}</span>
    </p>
  );
}

function createLinks({ file, shown }: ComparedProps, sides: { before: Side; after: Side }): DiffLinks {
  function toRow(side: 'before' | 'after', { row, start, end }: Place): string {
    const bytes = start === undefined || end === undefined ? '' : `&bytes=${start}-${end}`;
    return `${toFlight(sides[side])}&row=${formatRowName(sides[side].flight, row)}${bytes}`;
  }
  const toView = (view: DiffView) => `#${formatShownInFile(file, { ...shown, view })}`;
  return {
    toPlace: (side, place, text, label) => (
      <a href={toRow(side, place)} aria-label={label}>
        {text}
      </a>
    ),
    toView: (view, text) => <a href={toView(view)}>{text}</a>,
  };
}

/** Two flights of the file, compared here. */
export function ComparedInFile(props: ComparedProps) {
  const { file, comparison, shown } = props;
  const { before, after } = useMemo(
    () => ({ before: openSide(file, comparison.before), after: openSide(file, comparison.after) }),
    [file, comparison],
  );
  const diff = useMemo(() => before && after && diffFlights(before.flight, after.flight), [before, after]);
  return (
    <div className="stack-4">
      {comparison.title === file.title ? null : (
        <h2 className="text-lg [overflow-wrap:anywhere]">{comparison.title}</h2>
      )}
      <div className="text-sm [overflow-wrap:anywhere]">
        <SideLine name="Before" side={before} />
        <SideLine name="After" side={after} />
      </div>
      {diff && before && after ? (
        <FlightDiff diff={diff} view={shown.view} links={createLinks(props, { before, after })} />
      ) : null}
    </div>
  );
}
