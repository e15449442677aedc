'use client';

import { useEffect, useState, type ReactNode } from 'react';

import { formatBytes } from '#flight';
import { flightDiffPath, flightPath } from '#src/server/http/addresses.ts';
import { Table, type Column } from '#viewer/table.tsx';

import { savedEvent, shownEvent, type SaveMessage, type SaveState, type ShownSave } from './save-messages.ts';

/**
 * Development's strip under an experiment: what the last save did to the wire, and the last saves. It comes and is kept up to date by
 * Vite's own connection, so the experiment keeps its state, and the page's flight has nothing of it. Its styles stand here and
 * not in a style sheet, because production sends that one.
 */
const barHeight = 44;
const smallestBar = 2;

const styles = {
  bars: { display: 'flex', alignItems: 'flex-end', gap: 3, height: barHeight + 6, listStyle: 'none', padding: 0 },
  bar: { display: 'block', width: 14, background: 'var(--line-strong)' },
  newest: { display: 'block', width: 14, background: 'var(--accent, currentColor)' },
  link: { display: 'flex', alignItems: 'flex-end', height: barHeight + 6, padding: '0 1px' },
  table: { width: '100%', textAlign: 'left', fontVariantNumeric: 'tabular-nums' },
  scroll: { overflowX: 'auto' },
  problem: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
} as const;

/** Sent by this project's own dev server, over Vite's connection: only whose it is must be found out. */
function isMessageOf(name: string, data: unknown): data is SaveMessage {
  return typeof data === 'object' && data !== null && 'experiment' in data && data.experiment === name;
}

function formatTime(time: number): string {
  return new Date(time).toLocaleTimeString();
}

function describeSave({ time, bytes, gzip, change }: ShownSave): string {
  return `${formatTime(time)}: ${formatBytes(bytes)}, ${formatBytes(gzip)} with gzip. ${change ?? 'The first one.'}`;
}

function Bars({ saves }: { readonly saves: readonly ShownSave[] }) {
  const [pointed, setPointed] = useState<number>();
  const most = Math.max(1, ...saves.map(({ bytes }) => bytes));
  const told = saves.find(({ flight }) => flight === pointed);
  return (
    <div>
      <ol style={styles.bars} aria-label="The last saves, the newest last">
        {saves.map((save, index) => (
          <li key={save.flight}>
            <a
              href={flightPath(save.flight)}
              style={styles.link}
              aria-label={describeSave(save)}
              onMouseEnter={() => setPointed(save.flight)}
              onFocus={() => setPointed(save.flight)}
            >
              <span
                style={{
                  ...(index === saves.length - 1 ? styles.newest : styles.bar),
                  height: Math.max(smallestBar, (save.bytes / most) * barHeight),
                }}
              />
            </a>
          </li>
        ))}
      </ol>
      <p className="text-sm text-quiet" aria-hidden="true">
        {told ? describeSave(told) : 'One bar for each save. Point at one to see what it changed.'}
      </p>
    </div>
  );
}

function DiffLink({ save }: { readonly save: ShownSave }): ReactNode {
  if (save.before === undefined) return null;
  return <a href={flightDiffPath(save.flight, save.before)}>Diff</a>;
}

const saveColumns: readonly Column<ShownSave>[] = [
  { head: 'Saved', isRowName: true, cell: ({ flight, time }) => <a href={flightPath(flight)}>{formatTime(time)}</a> },
  { head: 'Bytes', cell: ({ bytes }) => formatBytes(bytes) },
  { head: 'With gzip', cell: ({ gzip }) => formatBytes(gzip) },
  {
    head: 'Against the one before',
    cell: (save) => (
      <>
        {save.change ?? 'The first one'} <DiffLink save={save} />
      </>
    ),
  },
];

function SavesTable({ saves }: { readonly saves: readonly ShownSave[] }) {
  return (
    <details>
      <summary className="text-sm">The same as a table, and what is measured</summary>
      <div style={styles.scroll}>
        <Table
          className=""
          style={styles.table}
          columns={saveColumns}
          rows={saves.toReversed()}
          keyOf={({ flight }) => flight}
        />
      </div>
      <p className="text-sm text-quiet">
        Measured is the experiment alone, without its page and without what development adds (
        {formatBytes(saves.at(-1)?.leftOut ?? 0)} of the last flight). Names of modules and files are longer than in
        production, so look at differences and not at sizes. A wait is the median of three renderings after the first; a
        difference is told when it is larger than what these differ by among themselves.
      </p>
    </details>
  );
}

type StateTextProps = { readonly state: SaveState; readonly last: ShownSave | undefined; readonly canBeShown: boolean };

function StateText({ state, last, canBeShown }: StateTextProps): ReactNode {
  switch (state.kind) {
    case 'waiting':
      if (last) return <LastChange save={last} />;
      return <p>{canBeShown ? 'It is being measured.' : 'It is measured as soon as it can be shown.'}</p>;
    case 'not-measured':
      return <p>The last save was not measured: {state.reason}.</p>;
    case 'broken': {
      const { message, file, line } = state.problem;
      const isShown = state.isKept && last !== undefined;
      return (
        <div>
          <p>
            <strong>This save is broken.</strong> {isShown ? 'The page shows the last good one.' : null}
          </p>
          <p className="code" style={styles.problem}>
            {message}
            {file === undefined ? null : `\n${file}${line === undefined ? '' : `:${line}`}`}
          </p>
        </div>
      );
    }
    case 'measured':
      return last ? (
        <>
          <LastChange save={last} />
          {state.times === 'too-slow' ? (
            <p className="text-sm text-quiet">Waits are not compared: it takes too long to be rendered four times.</p>
          ) : null}
        </>
      ) : null;
  }
}

/** What it shows, and no failure of the save. */
function describeCaught({ caught }: ShownSave): string {
  if (!caught) return '';
  const { errors, boundaries, promises, givenTo } = caught;
  const names = givenTo.map((name) => `<${name}>`).join(', ');
  return [
    errors === 0
      ? ''
      : `${errors === 1 ? 'An error was' : `${errors} errors were`} caught by its own boundary (${boundaries.join(', ')}). `,
    promises === 0
      ? ''
      : `${promises === 1 ? 'A promise' : `${promises} promises`} given to ${names} ${promises === 1 ? 'was' : 'were'} rejected: what becomes of it is in the component’s code. `,
  ].join('');
}

function LastChange({ save }: { readonly save: ShownSave }) {
  return (
    <p>
      <strong>{save.change ?? `${formatBytes(save.bytes)}, ${formatBytes(save.gzip)} with gzip`}</strong>
      {save.change === undefined ? '. Save the file, and here stands what changed. ' : '. '}
      {describeCaught(save)}
      <DiffLink save={save} />
    </p>
  );
}

export function DevSaves({ name, canBeShown }: { readonly name: string; readonly canBeShown: boolean }) {
  const [message, setMessage] = useState<SaveMessage>();
  useEffect(() => {
    const hot = import.meta.hot;
    function take(data: unknown): void {
      if (isMessageOf(name, data)) setMessage(data);
    }
    hot?.on(savedEvent, take);
    hot?.send(shownEvent, name);
    return () => hot?.off(savedEvent, take);
  }, [name]);
  const { saves = [], state = { kind: 'waiting' } as const } = message ?? {};
  return (
    <section className="panel stack-2 px-4 py-3 sm:px-5" aria-label="Saves" data-flight-saves={state.kind}>
      <div aria-live="polite">
        <StateText state={state} last={saves.at(-1)} canBeShown={canBeShown} />
      </div>
      {saves.length > 0 ? <Bars saves={saves} /> : null}
      {saves.length > 0 ? <SavesTable saves={saves} /> : null}
    </section>
  );
}
