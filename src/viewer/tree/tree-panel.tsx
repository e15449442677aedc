import '../value-line.css';
import './tree-panel.css';

import { useId, useMemo, useState, type KeyboardEvent } from 'react';

import { readModules, countRowsWithin, findRow, formatBytes, formatCount } from '#flight';

import { readArrival } from '../arrival.ts';
import type { OpenedFlight, PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { RowLink } from '../row-link.tsx';
import { nameRow } from '../row-name.ts';
import { TimeScrubber } from './time-scrubber.tsx';
import { openTreeFirst, readPlace, readTreeLines, readTypeName, type TreeLine } from './tree-lines.ts';
import { WindowedList } from '../windowed-list.tsx';

/** Deeper lines are not indented further: there would be no room for their text. */
const deepestIndent = 24;

/** A client component's source file by its name, when a manifest or the payload itself has it. */
function readSources({ flight, sources }: OpenedFlight): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const { name, module } of readModules(flight)) {
    const source = sources.get(module);
    if (source !== undefined) byName.set(name, source);
  }
  return byName;
}

/** The elements as the client has them at a time. Each can be opened. */
export function TreePanel({ opened, selected, onSelect, onOpen, time, onTime }: PanelProps) {
  const { flight } = opened;
  const id = useId();
  const [open, setOpen] = useState(() => openTreeFirst(flight));
  const [current, setCurrent] = useState<string>();
  const came = useMemo(
    () => (time === undefined ? flight.rows.count : countRowsWithin(flight, readArrival(opened).bytesAt(time))),
    [flight, opened, time],
  );
  const lines = useMemo(() => readTreeLines(flight, came, open), [flight, came, open]);
  const sources = useMemo(() => readSources(opened), [opened]);
  const at = lines.findIndex((line) => line.path === current);

  function toggle(path: string) {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  }

  function choose(index: number) {
    const line = lines[Math.max(0, Math.min(index, lines.length - 1))];
    if (!line) return;
    setCurrent(line.path);
    onSelect(readPlace(line));
  }

  function handleKey(event: KeyboardEvent) {
    const line = lines[at];
    if (event.key === 'ArrowDown') choose(at + 1);
    else if (event.key === 'ArrowUp') choose(at - 1);
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(lines.length - 1);
    else if (line?.isOpen !== undefined && event.key === (line.isOpen ? 'ArrowLeft' : 'ArrowRight')) toggle(line.path);
    else if (line && event.key === 'ArrowLeft') choose(lines.findLastIndex(({ path }) => isInside(line.path, path)));
    else if (line?.isOpen && event.key === 'ArrowRight') choose(at + 1);
    else if (line && event.key === 'Enter') onOpen(readPlace(line));
    else return;
    event.preventDefault();
  }

  return (
    <div className="panel flight-rows">
      <TimeScrubber opened={opened} time={time} onTime={onTime} />
      {lines.length === 0 ? (
        <p className="flight-note">The root has not come: the client has nothing to show yet.</p>
      ) : (
        <WindowedList
          count={lines.length}
          lineHeight={24}
          current={at < 0 ? undefined : at}
          className="flight-tree"
          attributes={{
            tabIndex: 0,
            role: 'tree',
            'aria-label': 'The tree',
            'aria-describedby': `${id}-keys`,
            ...(at < 0 ? {} : { 'aria-activedescendant': `${id}-${current}` }),
            onKeyDown: handleKey,
          }}
        >
          {(index) => {
            const line = lines[index];
            return line ? (
              <TreeLineView
                key={line.path}
                id={`${id}-${line.path}`}
                line={line}
                opened={opened}
                source={line.kind === 'element' ? sources.get(readTypeName(flight, line.value)) : undefined}
                isCurrent={line.path === current && selected !== undefined}
                onToggle={() => toggle(line.path)}
                onChoose={() => choose(index)}
                onOpen={onOpen}
              />
            ) : null;
          }}
        </WindowedList>
      )}
      <ChosenPlace line={lines[at]} opened={opened} onOpen={onOpen} />
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>→</kbd> <kbd>←</kbd> open and close · <kbd>Enter</kbd> show the bytes
      </p>
    </div>
  );
}

function isInside(path: string, outer: string): boolean {
  return path.startsWith(`${outer}.`);
}

type ChosenPlaceProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly line: TreeLine | undefined };

/** Where the chosen line is in the payload. */
function ChosenPlace({ line, opened, onOpen }: ChosenPlaceProps) {
  if (!line) return null;
  const place = readPlace(line);
  const { start, end } = place;
  return (
    <p className="flight-readout flight-map-readout">
      <span>row {nameRow(opened.flight, place.row)}</span>
      {start === undefined || end === undefined ? null : (
        <span className="text-quiet">
          {formatBytes(end - start)}, bytes {formatCount(start)} to {formatCount(end)}
        </span>
      )}
      <PlaceLink flight={opened.flight} place={place} onOpen={onOpen}>
        Show the bytes
      </PlaceLink>
    </p>
  );
}

type TreeLineViewProps = {
  readonly id: string;
  readonly line: TreeLine;
  readonly opened: OpenedFlight;
  readonly source: string | undefined;
  readonly isCurrent: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
  readonly onOpen: PanelProps['onOpen'];
};

function TreeLineView({ id, line, opened, source, isCurrent, onToggle, onChoose, onOpen }: TreeLineViewProps) {
  const indent = { paddingInlineStart: `${0.4 + Math.min(line.depth, deepestIndent) * 0.9}rem` };
  return (
    <div
      id={id}
      role="treeitem"
      // Chosen by pointer. With the keyboard it is chosen from the tree, which has the focus.
      tabIndex={-1}
      aria-level={line.depth + 1}
      aria-selected={isCurrent}
      {...(line.isOpen === undefined ? {} : { 'aria-expanded': line.isOpen })}
      className="flight-value-line flight-tree-line"
      style={indent}
      data-lit={isCurrent || undefined}
    >
      {line.isOpen === undefined ? (
        <span className="flight-toggle" />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className="flight-toggle"
          aria-label={line.isOpen ? 'Close' : 'Open'}
          onClick={onToggle}
        >
          {line.isOpen ? '▾' : '▸'}
        </button>
      )}
      <button type="button" tabIndex={-1} className="flight-value-text" onClick={onChoose}>
        {line.name === undefined ? null : <span className="flight-value-name">{line.name}</span>}
        <NodeText line={line} />
      </button>
      {source === undefined ? null : <span className="flight-value-size">{source}</span>}
      <LineTarget line={line} opened={opened} onOpen={onOpen} />
    </div>
  );
}

function NodeText({ line }: { readonly line: TreeLine }) {
  switch (line.kind) {
    case 'element':
      return (
        <span data-value-kind="element">
          {line.label}
          {line.isClient ? <span className="flight-tree-client">client</span> : null}
        </span>
      );
    case 'waiting':
      return <span className="flight-tree-waiting">waiting for row {line.id.toString(16)}</span>;
    case 'row':
      return <span className={line.isError ? 'flight-missing' : undefined}>{line.label}</span>;
    case 'text':
      return <span data-value-kind="string">{line.label}</span>;
    case 'group':
    case 'data':
      return <span>{line.label}</span>;
  }
}

/**
 * For a waiting place: the row it waits for, when the flight has it later. For anything else but text: the row that
 * holds it.
 */
function LineTarget({ line, opened, onOpen }: Pick<TreeLineViewProps, 'line' | 'opened' | 'onOpen'>) {
  const { flight } = opened;
  if (line.kind === 'waiting') {
    const row = findRow(flight.rows, line.id);
    if (row === undefined) return <span className="flight-missing">never came</span>;
    return (
      <RowLink flight={flight} row={row} onSelect={onOpen}>
        {`came with row ${line.id.toString(16)}`}
      </RowLink>
    );
  }
  if (line.kind === 'row') return <RowLink flight={flight} row={line.row} onSelect={onOpen} />;
  return null;
}
