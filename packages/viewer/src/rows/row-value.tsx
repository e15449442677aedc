import '../value-line.css';

import type { ReactNode } from 'react';

import { type Flight, type Row, readNestedFlight, readNumberAt, isReadAtOnce, rowTagOf, formatCount } from '#flight';

import type { Place } from '../opened-flight.ts';

import { ValueTree } from './value-tree.tsx';
import { WindowedList } from '../windowed-list.tsx';

type RowValueProps = {
  readonly flight: Flight;
  readonly row: Row;
  readonly lit: { readonly start: number; readonly end: number } | undefined;
  readonly onSelect: (place: Place) => void;
};

/** Longer text is cut; the raw view has the rest. A browser lays out this much in a few milliseconds. */
const maxTextShown = 20_000;

function Text({ text }: { text: string }) {
  return (
    <>
      <textarea className="flight-text" readOnly aria-label="Its text" value={text.slice(0, maxTextShown)} />
      {text.length > maxTextShown ? (
        <p className="px-3 py-1.5 text-sm text-quiet">
          The first {formatCount(maxTextShown)} of {formatCount(text.length)} characters. All of them are beside this.
        </p>
      ) : null}
    </>
  );
}

/** How a piece of a byte stream is shown. */
const bytesOfStream = { type: 'Uint8Array', bytesPerElement: 1 } as const;

function Numbers({ tag, data }: { tag: string; data: Uint8Array }) {
  const rowTag = rowTagOf(tag);
  const { type, bytesPerElement } = rowTag.body === 'binary' ? rowTag : bytesOfStream;
  const count = Math.floor(data.length / bytesPerElement);
  return (
    <WindowedList
      count={count}
      lineHeight={24}
      current={undefined}
      className="flight-values"
      attributes={{ tabIndex: 0, role: 'region', 'aria-label': `${type} with ${formatCount(count)} numbers` }}
    >
      {(line) => (
        <div key={line} className="flight-value-line">
          <span className="flight-value-name">{line}</span>
          <span>{readNumberAt(type, data, line * bytesPerElement)}</span>
        </div>
      )}
    </WindowedList>
  );
}

function Words({ children }: { children: ReactNode }) {
  return <p className="px-3 py-3 text-sm">{children}</p>;
}

const streamWords = {
  'readable-stream': 'A ReadableStream begins. Its chunks are the rows with the same id that follow:',
  'byte-stream': 'A ReadableStream of bytes begins. Its chunks are the rows with the same id that follow:',
  'async-iterable': 'An async iterable begins. Its values are the rows with the same id that follow:',
  'async-iterator': 'An async iterator begins. Its values are the rows with the same id that follow:',
} as const;

function renderContent(props: RowValueProps): ReactNode {
  const { flight, row } = props;
  switch (row.kind) {
    case 'stream-end':
    case 'postpone':
      return row.value ? <ValueTree {...props} /> : <Words>The stream ends here, without a last value.</Words>;
    case 'broken':
      return (
        <Words>
          This row’s JSON is broken.{' '}
          {isReadAtOnce(rowTagOf(row.tag))
            ? 'React’s client stops here.'
            : 'React’s client throws where the row is used.'}{' '}
          The bytes are beside this.
        </Words>
      );
    case 'stream-start':
      return (
        <>
          <Words>{streamWords[row.stream]}</Words>
          <ValueTree {...props} />
        </>
      );
    case 'time-origin':
      return <Words>Times in this payload count from {new Date(row.time).toISOString()}.</Words>;
    case 'halted':
      return <Words>This row will never come: the server stopped on purpose.</Words>;
    case 'binary':
    case 'bytes':
      if (!readNestedFlight(flight, row.row)) return <Numbers tag={row.tag} data={row.data} />;
      return (
        <>
          <Words>These bytes are a payload of their own:</Words>
          <ValueTree {...props} />
        </>
      );
    default:
      if ('value' in row && row.value) return <ValueTree {...props} />;
      return 'text' in row ? <Text text={row.text} /> : null;
  }
}

/** The row's decoded value. */
export function RowValue(props: RowValueProps) {
  return (
    <div className="min-w-0">
      <div className="flight-side-head">
        <h3>Decoded</h3>
      </div>
      {renderContent(props)}
    </div>
  );
}
