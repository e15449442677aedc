import '../value-line.css';
import './tree-panel.css';

import { useCallback, useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react';

import { countRowsWithin, formatBytes, formatCount, nameModule, readModules, type Flight } from '#flight';

import { readArrival } from '../arrival.ts';
import type { PanelProps } from '../opened-flight.ts';
import { createOutlineReader, openTo, type OutlineLine } from '../outline.ts';
import { moveToHit } from '../outline-hits.ts';
import { pressKey, showMore, toggleNode, type OutlineState } from '../outline-keys.ts';
import { createOutlineSearch } from '../outline-search.ts';
import { TimeScrubber } from './time-scrubber.tsx';
import { TreeLine, TreeMore, readTypeName } from './tree-line.tsx';
import { isArrived, openTreeFirst } from './tree-open.ts';
import { TreeSearch } from './tree-search.tsx';
import {
  createTreeSource,
  readNodePlace,
  readNodeText,
  readOrigin,
  type NodeSource,
  type TreeNode,
} from './tree-source.ts';
import { useArrived } from './use-arrived.ts';
import { useSearch } from '../use-search.ts';
import { WindowedList } from '../windowed-list.tsx';
import { PlaceLink } from '../place-link.tsx';
import { nameRow } from '../row-name.ts';

/** A client component's source file by its name, when a manifest or the payload itself has it. */
function readSources(flight: Flight): ReadonlyMap<string, NodeSource> {
  const byName = new Map<string, NodeSource>();
  for (const module of readModules(flight)) {
    const { source } = module;
    if (source === undefined) continue;
    byName.set(nameModule(module), { text: source, place: { file: source, line: 1, column: 1 } });
  }
  return byName;
}

function createMatch(query: string): (node: TreeNode, name: string | undefined) => boolean {
  const wanted = query.toLowerCase();
  return (node, name) =>
    (name !== undefined && name.toLowerCase().includes(wanted)) || readNodeText(node).toLowerCase().includes(wanted);
}

type ChosenPlaceProps = Pick<PanelProps, 'opened' | 'onOpen'> & {
  readonly line: OutlineLine<TreeNode> | undefined;
};

/** Shows where the chosen line is in the payload. */
function ChosenPlace({ line, opened, onOpen }: ChosenPlaceProps) {
  const place = line?.kind === 'node' ? readNodePlace(line.node) : undefined;
  if (!place) return null;
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

/** The elements as the client has them at a time. Each can be opened. */
export function TreePanel({ opened, onSelect, onOpen, time, onTime }: PanelProps) {
  const { flight } = opened;
  const id = useId();
  const [state, setState] = useState<OutlineState>(() => ({ open: openTreeFirst(flight), current: undefined }));
  const [query, setQuery] = useState('');
  const came = useMemo(
    () => (time === undefined ? flight.rows.count : countRowsWithin(flight, readArrival(opened).bytesAt(time))),
    [flight, opened, time],
  );
  const source = useMemo(() => createTreeSource(flight, came), [flight, came]);
  const read = useMemo(() => createOutlineReader(source), [source]);
  const lines = useMemo(() => read(state.open), [read, state.open]);
  const sources = useMemo(() => readSources(opened.flight), [opened.flight]);
  const create = useCallback((text: string) => createOutlineSearch(source, createMatch(text)), [source]);
  const search = useSearch(query, create);
  const matches = useMemo(() => (query === '' ? undefined : createMatch(query)), [query]);
  const [arrived, forgetArrived] = useArrived({ flight, source, lines, came }, (path) =>
    setState({ ...state, open: openTo(source, state.open, path) }),
  );
  const indexOf = (path: string | undefined): number =>
    path === undefined ? -1 : lines.findIndex((line) => line.path === path);
  const at = indexOf(state.current);
  const shown = indexOf(arrived.path ?? state.current);

  // The list has scrolled to the line by itself; the page may have to scroll to the list.
  const shownId = shown < 0 ? undefined : `${id}-${lines[shown]?.path}`;
  useEffect(() => {
    if (shownId === undefined) return undefined;
    const frame = requestAnimationFrame(() => document.getElementById(shownId)?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [shownId]);

  /** Takes a new state, and chooses the place of its line. */
  function settle(next: OutlineState, among: readonly OutlineLine<TreeNode>[] = lines) {
    setState(next);
    forgetArrived();
    const line = next.current === state.current ? undefined : among.find(({ path }) => path === next.current);
    const place = line?.kind === 'node' ? readNodePlace(line.node) : undefined;
    if (place) onSelect(place);
  }

  function goToHit(direction: 1 | -1) {
    const path = search.kind === 'none' ? undefined : moveToHit(search.found, state.current, direction);
    if (path === undefined) return;
    const open = openTo(source, state.open, path);
    settle({ open, current: path }, read(open));
  }

  function handleKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = lines[at];
    const next = pressKey(source, lines, state, event.key);
    const place = line?.kind === 'node' ? readNodePlace(line.node) : undefined;
    if (next) settle(next, next.open === state.open ? lines : read(next.open));
    else if (place && event.key === 'Enter') onOpen(place);
    else return;
    event.preventDefault();
  }

  function renderLine(line: OutlineLine<TreeNode>) {
    const shared = { id: `${id}-${line.path}`, isCurrent: line.path === state.current };
    if (line.kind === 'more') {
      return <TreeMore key={line.path} {...shared} line={line} onMore={() => settle(showMore(state, line))} />;
    }
    return (
      <TreeLine
        key={line.path}
        {...shared}
        line={line}
        hasMembers={line.isOpen || source.hasMembers(line.node)}
        opened={opened}
        source={sources.get(readTypeName(line.node) ?? '') ?? readOrigin(line.node)}
        isMatch={matches?.(line.node, line.name) === true}
        isFresh={arrived.before < came && isArrived(flight, line.node, arrived.before)}
        onToggle={() => settle(toggleNode(source, state, line))}
        onChoose={() => settle({ ...state, current: line.path })}
        onOpen={onOpen}
      />
    );
  }

  return (
    <div className="panel overflow-hidden">
      <TimeScrubber opened={opened} time={time} onTime={onTime} />
      <TreeSearch query={query} onQuery={setQuery} search={search} current={state.current} onMove={goToHit} />
      {lines.length === 0 ? (
        <p className="flight-note">The root has not come: the client has nothing to show yet.</p>
      ) : (
        <WindowedList
          count={lines.length}
          lineHeight={24}
          current={shown < 0 ? undefined : shown}
          className="[--tallest:min(70vh,46rem)]"
          attributes={{
            tabIndex: 0,
            role: 'tree',
            'aria-label': 'The tree',
            'aria-describedby': `${id}-keys`,
            ...(at < 0 ? {} : { 'aria-activedescendant': `${id}-${state.current}` }),
            onKeyDown: handleKey,
          }}
        >
          {(index) => {
            const line = lines[index];
            return line ? renderLine(line) : null;
          }}
        </WindowedList>
      )}
      <ChosenPlace line={lines[at]} opened={opened} onOpen={onOpen} />
      <p id={`${id}-keys`} className="flight-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>→</kbd> <kbd>←</kbd> open and close · <kbd>/</kbd> search ·{' '}
        <kbd>Enter</kbd> show the bytes
      </p>
    </div>
  );
}
