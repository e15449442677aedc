import './row-detail.css';

import { useMemo, type Ref } from 'react';

import {
  valueToJson,
  readRow,
  readRowOrigin,
  readRowSubject,
  printRowOrigin,
  type Row,
  formatBytes,
  formatCount,
} from '#flight';

import { formatPosition, type Arrival } from '../arrival.ts';
import { CopyLazily } from '../copy-lazily.tsx';
import type { OpenedFlight, Place } from '../opened-flight.ts';
import { RawBytes } from './raw-bytes.tsx';
import { RowLink } from '../row-link.tsx';
import { nameRow } from '../row-name.ts';
import { SourceLink } from '../source-link.tsx';
import { describeTag } from '../row-table.ts';
import { RowValue } from './row-value.tsx';
import { useReferences } from '../use-references.ts';
import { formatViewHash } from '../view-hash.ts';
import { useAddresses } from '../viewer-addresses.ts';

type RowDetailProps = {
  readonly opened: OpenedFlight;
  readonly selected: Place;
  readonly onSelect: (place: Place) => void;
  readonly arrival: Arrival;
  readonly ref: Ref<HTMLDivElement>;
};

const utf8 = new TextDecoder();

function copyDecoded(opened: OpenedFlight, row: Row): string {
  if ('value' in row && row.value) return JSON.stringify(valueToJson(opened.flight, row.value), undefined, 2);
  if ('text' in row) return row.text;
  return 'data' in row ? Array.from(row.data).join(', ') : '';
}

/** One row: what it is and which rows refer to it; then its bytes as sent, beside the decoded value. */
export function RowDetail({ opened, selected, onSelect, arrival, ref }: RowDetailProps) {
  const { inFile } = useAddresses();
  const { flight, bytes } = opened;
  const row = useMemo(() => readRow(flight, selected.row), [flight, selected.row]);
  const referrers = useReferences(flight)?.to.get(selected.row) ?? [];
  const { name, kind } = describeTag(row.tag);
  const origin = useMemo(
    () => readRowOrigin(flight, selected.row) ?? readRowSubject(flight, selected.row),
    [flight, selected.row],
  );
  const lit = useMemo(
    () =>
      selected.start === undefined || selected.end === undefined
        ? undefined
        : { start: selected.start, end: selected.end },
    [selected.start, selected.end],
  );
  return (
    <section ref={ref} tabIndex={-1} className="panel flight-detail" aria-labelledby="flight-row-title">
      <div className="flight-detail-head">
        <h2 id="flight-row-title" className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>
            Row <code>{nameRow(flight, selected.row)}</code>
          </span>
          <span className="flight-kind font-normal" data-row-kind={kind}>
            {name}
          </span>
        </h2>
        <p className="text-sm text-quiet">
          {formatBytes(row.end - row.start)}, bytes {formatCount(row.start)} to {formatCount(row.end)}
          {arrival.unit === 'ms' ? `, complete at ${formatPosition('ms', arrival.at(row.end))}` : ''}
        </p>
        {origin && printRowOrigin(origin) !== '' ? (
          <p className="text-sm text-quiet">
            <SourceLink place={origin.source}>{printRowOrigin(origin)}</SourceLink>
          </p>
        ) : null}
        <p className="flex flex-wrap gap-2">
          <CopyLazily what="the row as sent" read={() => utf8.decode(bytes.subarray(row.start, row.end))}>
            Copy raw
          </CopyLazily>
          <CopyLazily what="the decoded row as JSON" read={() => copyDecoded(opened, row)}>
            Copy decoded
          </CopyLazily>
          {opened.links === 'nowhere' ? null : (
            <CopyLazily
              what={opened.links === 'this-browser' ? 'a link to the row, for this browser alone' : 'a link to the row'}
              read={() => {
                const view = { tab: 'rows', selected, time: undefined } as const;
                return new URL(formatViewHash(flight, view, inFile), globalThis.location.href).href;
              }}
            >
              {opened.links === 'this-browser' ? 'Copy link for this browser' : 'Copy link'}
            </CopyLazily>
          )}
        </p>
      </div>
      {referrers.length === 0 ? null : (
        <p className="max-w-none px-3 py-[0.3rem] border-b border-line text-[0.875rem]">
          <span className="text-quiet">Used by </span>
          {referrers.map((other) => (
            <RowLink key={other} flight={flight} row={other} onSelect={onSelect} />
          ))}
        </p>
      )}
      <div className="flight-detail-sides">
        <RawBytes flight={flight} row={row} lit={lit} onSelect={onSelect} />
        <RowValue flight={flight} row={row} lit={lit} onSelect={onSelect} />
      </div>
    </section>
  );
}
