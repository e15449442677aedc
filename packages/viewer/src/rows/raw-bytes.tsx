import { useMemo, useRef, useState } from 'react';

import type { Flight, Row } from '#flight';

import type { Place } from '../opened-flight.ts';
import { countRawLines, readHexLine, type RawRange, type RawSpan } from './raw-lines.ts';
import { RawTokens } from './raw-tokens.tsx';
import { useWidth } from '../use-width.ts';
import { WindowedList } from '../windowed-list.tsx';

type RawBytesProps = {
  readonly flight: Flight;
  readonly row: Row;
  readonly lit: { readonly start: number; readonly end: number } | undefined;
  readonly onSelect: (place: Place) => void;
};

/** The width of a character in the monospace font at 12 px, with room for slightly wider fonts. */
const characterWidth = 7.6;
/** The width of the offset at a line's beginning, the scroll bar and the padding. */
const besides = 92;

function Spans({ spans }: { spans: readonly RawSpan[] }) {
  return spans.map((span, index) => (
    <span key={index} className={`flight-raw-${span.tone}`} data-lit={span.isLit || undefined}>
      {span.text}
    </span>
  ));
}

/** How many bytes fit on one line. A byte takes one column as text, and four as hex with its ASCII. */
function fitLine(view: 'text' | 'hex', width: number): number {
  const columns = Math.max(16, Math.floor((width - besides) / characterWidth));
  if (view === 'text') return columns;
  return Math.max(4, Math.floor((columns - 2) / 4 / 4) * 4);
}

/** The row as it was sent, byte for byte. */
export function RawBytes({ flight, row, lit, onSelect }: RawBytesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const isBinary = row.kind === 'binary' || row.kind === 'bytes';
  const [view, setView] = useState<'text' | 'hex'>(isBinary ? 'hex' : 'text');
  const perLine = fitLine(view, width);
  const range: RawRange = useMemo(
    () => ({ start: row.start, end: row.end, payloadStart: row.payloadStart, payloadEnd: row.payloadEnd, lit }),
    [row, lit],
  );
  const litLine = lit ? Math.floor((lit.start - row.start) / perLine) : undefined;
  return (
    <div className="min-w-0">
      <div className="flight-side-head">
        <h3>As sent</h3>
        <div role="group" aria-label="Show the bytes as" className="flight-switch">
          {(['text', 'hex'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
              {name === 'text' ? 'Text' : 'Hex'}
            </button>
          ))}
        </div>
      </div>
      <div ref={frame} role="region" aria-label="The row as sent">
        {width === 0 ? null : view === 'text' ? (
          <RawTokens flight={flight} row={row} range={range} perLine={perLine} litLine={litLine} onSelect={onSelect} />
        ) : (
          <WindowedList
            count={countRawLines(range, perLine)}
            lineHeight={20}
            current={litLine}
            className="flight-raw"
            attributes={{ tabIndex: 0, role: 'group', 'aria-label': 'The row’s bytes in hex' }}
          >
            {(line) => (
              <div key={line} className="flight-raw-line">
                <span className="flight-raw-offset">{row.start + line * perLine}</span>
                <HexSpans bytes={flight.bytes} range={range} line={line} perLine={perLine} />
              </div>
            )}
          </WindowedList>
        )}
      </div>
    </div>
  );
}

type HexSpansProps = {
  readonly bytes: Uint8Array;
  readonly range: RawRange;
  readonly line: number;
  readonly perLine: number;
};

function HexSpans({ bytes, range, line, perLine }: HexSpansProps) {
  const { hex, text } = readHexLine(bytes, range, line, perLine);
  return (
    <>
      <span style={{ minWidth: `${perLine * 3}ch` }}>
        <Spans spans={hex} />
      </span>
      <span className="flight-raw-head">{text}</span>
    </>
  );
}
