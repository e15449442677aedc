import '../value-line.css';

import { useMemo, useState, type KeyboardEvent } from 'react';

import {
  type Flight,
  printRow,
  printValue,
  resolveTarget,
  findRow,
  type Value,
  formatBytes,
  formatCount,
} from '#flight';

import type { Place } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { openFirst, openTo, pageSize, readValueLines, type ValueLine } from './value-lines.ts';
import { WindowedList } from '../windowed-list.tsx';

type ValueTreeProps = {
  readonly flight: Flight;
  readonly root: Value;
  readonly lit: { readonly start: number; readonly end: number } | undefined;
  readonly onSelect: (place: Place) => void;
};

/** Deeper lines are not indented further: there would be no room for their text. */
const deepestIndent = 16;

function isSame(value: Value, lit: ValueTreeProps['lit']): boolean {
  return lit !== undefined && value.start === lit.start && value.end === lit.end;
}

/** A decoded value, opened step by step. Choosing a line lights its bytes in the raw view. */
export function ValueTree({ flight, root, lit, onSelect }: ValueTreeProps) {
  const [open, setOpen] = useState(() => {
    const first = openFirst(flight, root);
    return lit ? openTo(flight, root, lit.start, lit.end, first) : first;
  });
  // Another panel may choose what is lit: then its line must be visible.
  const [shownLit, setShownLit] = useState(lit);
  if (lit !== shownLit) {
    setShownLit(lit);
    if (lit) setOpen(openTo(flight, root, lit.start, lit.end, open));
  }
  const lines = useMemo(() => readValueLines(flight, root, open), [flight, root, open]);
  const litAt = lines.findIndex((line) => line.kind === 'value' && isSame(line.value, lit));
  const current = litAt < 0 ? undefined : litAt;

  function toggle(value: Value) {
    setOpen((before) => {
      const after = new Map(before);
      if (!after.delete(value.at)) after.set(value.at, pageSize);
      return after;
    });
  }

  function showMore(container: Value, shown: number) {
    setOpen((before) => new Map(before).set(container.at, shown + 10 * pageSize));
  }

  function selectLine(index: number) {
    const line = lines[index];
    if (line?.kind === 'value') onSelect({ row: root.row, start: line.value.start, end: line.value.end });
    else if (line) showMore(line.container, line.shown);
  }

  function handleKey(event: KeyboardEvent) {
    const at = current ?? -1;
    const line = lines[at];
    const isContainer = line?.kind === 'value' && line.isOpen !== undefined;
    if (event.key === 'ArrowDown') selectLine(Math.min(at + 1, lines.length - 1));
    else if (event.key === 'ArrowUp') selectLine(Math.max(at - 1, 0));
    else if (event.key === 'Home') selectLine(0);
    else if (event.key === 'End') selectLine(lines.length - 1);
    else if (isContainer && event.key === (line.isOpen ? 'ArrowLeft' : 'ArrowRight')) toggle(line.value);
    else return;
    event.preventDefault();
  }

  return (
    <WindowedList
      count={lines.length}
      lineHeight={22}
      current={current}
      className="flight-values"
      attributes={{ tabIndex: 0, role: 'region', 'aria-label': 'The decoded value', onKeyDown: handleKey }}
    >
      {(index) => {
        const line = lines[index];
        if (!line) return null;
        return line.kind === 'more' ? (
          <div key={`more-${line.container.at}`} className="flight-value-line" style={indent(line)}>
            <button type="button" className="flight-more" onClick={() => showMore(line.container, line.shown)}>
              {formatCount(line.total - line.shown)} more …
            </button>
          </div>
        ) : (
          <TreeLine
            key={line.value.at}
            flight={flight}
            line={line}
            isLit={isSame(line.value, lit)}
            onToggle={toggle}
            onSelect={onSelect}
          />
        );
      }}
    </WindowedList>
  );
}

function indent({ depth }: ValueLine): { paddingInlineStart: string } {
  return { paddingInlineStart: `${0.4 + Math.min(depth, deepestIndent) * 0.9}rem` };
}

/** The value that a reference stands for. The row that holds it is named beside it. */
function printReferred(flight: Flight, value: Value): string {
  if (value.kind !== 'reference') return printValue(flight, value);
  const found = resolveTarget(flight, value);
  if (found.kind === 'value') return printValue(flight, found.value);
  return found.kind === 'row' ? printRow(flight, found.row) : printValue(flight, value);
}

/** The id of the row to which a value refers. */
function readTarget(value: Value): number | undefined {
  if ('id' in value) return value.id;
  return 'target' in value ? value.target?.id : undefined;
}

type TreeLineProps = {
  readonly flight: Flight;
  readonly line: Extract<ValueLine, { kind: 'value' }>;
  readonly isLit: boolean;
  readonly onToggle: (value: Value) => void;
  readonly onSelect: (place: Place) => void;
};

function TreeLine({ flight, line, isLit, onToggle, onSelect }: TreeLineProps) {
  const { value, name, isOpen } = line;
  const targetId = readTarget(value);
  const target = targetId === undefined ? undefined : findRow(flight.rows, targetId);
  const text = printReferred(flight, value);
  const light = () => onSelect({ row: value.row, start: value.start, end: value.end });
  return (
    <div className="flight-value-line" style={indent(line)} data-lit={isLit || undefined}>
      {isOpen === undefined ? (
        <span className="flight-toggle" />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className="flight-toggle"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${name ?? 'the value'}`}
          onClick={() => onToggle(value)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      )}
      <button type="button" tabIndex={-1} className="flight-value-text" aria-pressed={isLit} onClick={light}>
        {name === undefined ? null : <span className="flight-value-name">{name}</span>}
        <span data-value-kind={value.kind}>{text}</span>
      </button>
      {target === undefined ? null : (
        <RowLink flight={flight} row={target} onSelect={onSelect}>
          {`row ${(targetId ?? 0).toString(16)}`}
        </RowLink>
      )}
      {targetId !== undefined && target === undefined ? <span className="flight-missing">never came</span> : null}
      <span className="flight-value-size">{formatBytes(value.end - value.start)}</span>
    </div>
  );
}
