import '../value-line.css';

import { useMemo, useState, type KeyboardEvent } from 'react';

import { findRow, formatBytes, type Flight, type Part, type Row, type Value } from '#flight';

import { describeMore } from '../describe-more.ts';
import type { Place } from '../opened-flight.ts';
import { createOutlineReader, type NodeLine, type OutlineLine } from '../outline.ts';
import { pressKey, showMore, toggleNode, type OutlineState } from '../outline-keys.ts';
import { RowLink } from '../row-link.tsx';
import { WindowedList } from '../windowed-list.tsx';
import { createValueSource, openToBytes, openValueFirst, printLine, readLitBytes } from './value-source.ts';

type Lit = { readonly start: number; readonly end: number } | undefined;

type ValueTreeProps = {
  readonly flight: Flight;
  readonly row: Row;
  readonly lit: Lit;
  readonly onSelect: (place: Place) => void;
};

function isSame(place: Place | undefined, lit: Lit): boolean {
  return place?.start === lit?.start && place?.end === lit?.end;
}

/** A decoded value, opened step by step. Choosing a line lights its bytes in the raw view. */
export function ValueTree({ flight, row, lit, onSelect }: ValueTreeProps) {
  const source = useMemo(() => createValueSource(flight, row), [flight, row]);
  const [state, setState] = useState<OutlineState>(() => {
    const open = openValueFirst(source);
    return lit ? openToBytes(source, open, lit) : { open, current: undefined };
  });
  const read = useMemo(() => createOutlineReader(source), [source]);
  const lines = useMemo(() => read(state.open), [read, state.open]);
  // Another panel may choose what is lit: then its line must be visible. A line that was chosen here stays chosen.
  const [shownLit, setShownLit] = useState(lit);
  if (lit !== shownLit) {
    setShownLit(lit);
    if (!isSame(readLit(lines, state.current), lit)) {
      setState(lit ? openToBytes(source, state.open, lit) : { ...state, current: undefined });
    }
  }
  const at = lines.findIndex(({ path }) => path === state.current);

  function readLit(among: readonly OutlineLine<Part>[], path: string | undefined): Place | undefined {
    if (path === undefined) return undefined;
    const parts = new Map(among.map((line) => [line.path, line.kind === 'node' ? line.node : undefined]));
    return readLitBytes(source, path, (outer) => parts.get(outer));
  }

  function settle(next: OutlineState) {
    setState(next);
    if (next.current === state.current) return;
    const among = next.open === state.open ? lines : read(next.open);
    const place = readLit(among, next.current);
    if (place && !isSame(place, lit)) onSelect(place);
  }

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = pressKey(source, lines, state, event.key);
    if (!next) return;
    settle(next);
    event.preventDefault();
  }

  return (
    <WindowedList
      count={lines.length}
      lineHeight={24}
      current={at < 0 ? undefined : at}
      className="flight-values"
      attributes={{ tabIndex: 0, role: 'region', 'aria-label': 'The decoded value', onKeyDown: handleKey }}
    >
      {(index) => {
        const line = lines[index];
        if (!line) return null;
        const isLit = line.path === state.current;
        return line.kind === 'more' ? (
          <div key={line.path} className="flight-value-line" style={indent(line.depth)} data-lit={isLit || undefined}>
            <button type="button" tabIndex={-1} className="flight-more" onClick={() => settle(showMore(state, line))}>
              {describeMore(line.to - line.from)}
            </button>
          </div>
        ) : (
          <ValueLine
            key={line.path}
            shown={flight}
            line={line}
            hasMembers={line.isOpen || source.hasMembers(line.node)}
            isLit={isLit}
            onToggle={() => settle(toggleNode(source, state, line))}
            onChoose={() => settle({ ...state, current: line.path })}
            onSelect={onSelect}
          />
        );
      }}
    </WindowedList>
  );
}

/** Further in there is no room for text, so deeper lines are not indented further: value-line.css says how far. */
function indent(depth: number): Record<string, number> {
  return { '--depth': depth };
}

type ValueLineProps = {
  readonly shown: Flight;
  readonly line: NodeLine<Part>;
  readonly hasMembers: boolean;
  readonly isLit: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
  readonly onSelect: (place: Place) => void;
};

function ValueLine({ shown, line, hasMembers, isLit, onToggle, onChoose, onSelect }: ValueLineProps) {
  const { node: part, name, isOpen } = line;
  return (
    <div className="flight-value-line" style={indent(line.depth)} data-lit={isLit || undefined}>
      {hasMembers ? (
        <button
          type="button"
          tabIndex={-1}
          className="flight-toggle"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${name ?? 'the value'}`}
          onClick={onToggle}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span className="flight-toggle" />
      )}
      <button type="button" tabIndex={-1} className="flight-value-text" aria-pressed={isLit} onClick={onChoose}>
        {name === undefined ? null : <span className="flight-value-name">{name}</span>}
        <span data-value-kind={part.kind === 'value' ? part.value.kind : part.kind}>{printLine(part)}</span>
      </button>
      <LineRow shown={shown} part={part} onSelect={onSelect} />
      <LineSize part={part} />
    </div>
  );
}

/** The id of the row to which a value refers. */
function readTarget(value: Value): number | undefined {
  if ('id' in value) return value.id;
  return 'target' in value ? value.target?.id : undefined;
}

/** The row to which a value refers. */
function LineRow({ shown, part, onSelect }: { shown: Flight; part: Part; onSelect: (place: Place) => void }) {
  const { flight } = part;
  const id = part.kind === 'waiting' ? part.id : part.kind === 'value' ? readTarget(part.value) : undefined;
  if (id === undefined) return null;
  const row = findRow(flight.rows, id);
  if (row === undefined) return <span className="flight-missing">never came</span>;
  const name = `row ${id.toString(16)}`;
  // Rows of a payload within the payload are not in the list of rows.
  if (flight !== shown) return <span className="text-quiet">{name}</span>;
  return (
    <RowLink flight={flight} row={row} onSelect={onSelect}>
      {name}
    </RowLink>
  );
}

function LineSize({ part }: { part: Part }) {
  if (part.kind !== 'value') return null;
  return <span className="flight-value-size">{formatBytes(part.value.end - part.value.start)}</span>;
}
