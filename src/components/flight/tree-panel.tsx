import { useMemo, useState, type KeyboardEvent } from 'react';

import { readModules } from '#src/flight/modules.ts';
import { countRowsWithin } from '#src/flight/row.ts';
import { findRow } from '#src/flight/row-index.ts';

import { readArrival } from './arrival.ts';
import type { OpenedFlight, PanelProps } from './opened-flight.ts';
import { RowLink } from './row-link.tsx';
import { TimeScrubber } from './time-scrubber.tsx';
import { openTreeFirst, readPlace, readTreeLines, readTypeName, type TreeLine } from './tree-lines.ts';
import { WindowedList } from './windowed-list.tsx';

/** Deeper lines are not indented further: they would have no room for what they say. */
const deepestIndent = 24;

/** A client component's source file by its name, where a manifest or the payload itself says it. */
function readSources({ flight, sources }: OpenedFlight): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  for (const { name, module } of readModules(flight)) {
    const source = sources.get(module);
    if (source !== undefined) byName.set(name, source);
  }
  return byName;
}

/** The elements as the client has them at a time, opened step by step. */
export function TreePanel({ opened, selected, onSelect, time, onTime }: PanelProps) {
  const { flight } = opened;
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
          attributes={{ tabIndex: 0, role: 'region', 'aria-label': 'The tree', onKeyDown: handleKey }}
        >
          {(index) => {
            const line = lines[index];
            return line ? (
              <TreeLineView
                key={line.path}
                line={line}
                opened={opened}
                source={line.kind === 'element' ? sources.get(readTypeName(flight, line.value)) : undefined}
                isCurrent={line.path === current && selected !== undefined}
                onToggle={() => toggle(line.path)}
                onChoose={() => choose(index)}
                onSelect={onSelect}
              />
            ) : null;
          }}
        </WindowedList>
      )}
    </div>
  );
}

type TreeLineViewProps = {
  readonly line: TreeLine;
  readonly opened: OpenedFlight;
  readonly source: string | undefined;
  readonly isCurrent: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
  readonly onSelect: PanelProps['onSelect'];
};

function TreeLineView({ line, opened, source, isCurrent, onToggle, onChoose, onSelect }: TreeLineViewProps) {
  const indent = { paddingInlineStart: `${0.4 + Math.min(line.depth, deepestIndent) * 0.9}rem` };
  return (
    <div className="flight-value-line flight-tree-line" style={indent} data-lit={isCurrent || undefined}>
      {line.isOpen === undefined ? (
        <span className="flight-toggle" />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className="flight-toggle"
          aria-expanded={line.isOpen}
          aria-label={line.isOpen ? 'Close' : 'Open'}
          onClick={onToggle}
        >
          {line.isOpen ? '▾' : '▸'}
        </button>
      )}
      <button type="button" tabIndex={-1} className="flight-value-text" aria-pressed={isCurrent} onClick={onChoose}>
        {line.name === undefined ? null : <span className="flight-value-name">{line.name}</span>}
        <NodeText line={line} />
      </button>
      {source === undefined ? null : <span className="flight-value-size">{source}</span>}
      <LineTarget line={line} opened={opened} onSelect={onSelect} />
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

/** The row that a waiting place waits for, when the flight has it later; the row that holds anything else but text. */
function LineTarget({ line, opened, onSelect }: Pick<TreeLineViewProps, 'line' | 'opened' | 'onSelect'>) {
  const { flight } = opened;
  if (line.kind === 'waiting') {
    const row = findRow(flight.rows, line.id);
    if (row === undefined) return <span className="flight-missing">never came</span>;
    return (
      <RowLink flight={flight} row={row} onSelect={onSelect}>
        {`came with row ${line.id.toString(16)}`}
      </RowLink>
    );
  }
  if (line.kind === 'row') return <RowLink flight={flight} row={line.row} onSelect={onSelect} />;
  return null;
}
