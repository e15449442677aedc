import './modules-panel.css';

import { useMemo, useState } from 'react';

import { Panel } from '../panel.tsx';
import { formatBytes, formatCount, formatShare, nameModule, type Flight, type ModuleUse } from '#flight';

import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { nameRow } from '../row-name.ts';
import { SourceLink } from '../source-link.tsx';
import type { Understood } from '../understand-task.ts';
import { WhenUnderstood } from '../when-understood.tsx';
import { Table, type Column } from '../table.tsx';

/** How many modules are shown at once, and how many elements of one module. */
const step = 50;
const firstPlaces = 4;

/** The client modules: which elements use each one, and how many bytes naming it takes. */
export function ModulesPanel({ opened, onOpen }: PanelProps) {
  return (
    <WhenUnderstood opened={opened} what="the client modules">
      {(understood) => <Modules opened={opened} onOpen={onOpen} understood={understood} />}
    </WhenUnderstood>
  );
}

function isUnused({ elements, values }: ModuleUse): boolean {
  return elements + values === 0;
}

type ModulesProps = Pick<PanelProps, 'opened' | 'onOpen'> & { readonly understood: Understood };

/** Puts the modules to act on first: unused ones, then those that cost most. */
function sortModules(modules: readonly ModuleUse[], isFrameworks: boolean): ModuleUse[] {
  return modules
    .filter((module) => module.isFrameworks === isFrameworks)
    .toSorted((a, b) => Number(isUnused(b)) - Number(isUnused(a)) || b.compressed - a.compressed || b.bytes - a.bytes);
}

function sumBytes(modules: readonly ModuleUse[]): number {
  return modules.reduce((sum, { bytes }) => sum + bytes, 0);
}

function Modules({ opened, onOpen, understood: { modules, total } }: ModulesProps) {
  const own = useMemo(() => sortModules(modules, false), [modules]);
  const frameworks = useMemo(() => sortModules(modules, true), [modules]);
  if (modules.length === 0) {
    return (
      <Panel title="No client modules">
        <p className="text-quiet">This payload has no client component, so the browser loads no code for it.</p>
      </Panel>
    );
  }
  const bytes = sumBytes(modules);
  const unused = modules.filter(isUnused).length;
  const title = modules.length === 1 ? 'One client module' : `${formatCount(modules.length)} client modules`;
  return (
    <Panel
      title={title}
      aside={
        <span className="text-sm">
          {formatBytes(bytes)} to name {modules.length === 1 ? 'it' : 'them'}, {formatShare(bytes, total)} of the
          payload
          {unused === 0 ? '' : `; ${formatCount(unused)} not used`}
        </span>
      }
    >
      {own.length === 0 ? (
        <p className="text-quiet">All of them are the framework’s own.</p>
      ) : (
        <ModuleTable opened={opened} onOpen={onOpen} modules={own} />
      )}
      {frameworks.length === 0 ? null : (
        <details>
          <summary>
            The framework’s own: {formatCount(frameworks.length)} {frameworks.length === 1 ? 'module' : 'modules'},{' '}
            {formatBytes(sumBytes(frameworks))}
          </summary>
          <ModuleTable opened={opened} onOpen={onOpen} modules={frameworks} />
        </details>
      )}
    </Panel>
  );
}

type TableProps = Pick<ModulesProps, 'opened' | 'onOpen'> & { readonly modules: readonly ModuleUse[] };

function listColumns({ opened, onOpen }: Omit<TableProps, 'modules'>): readonly Column<ModuleUse>[] {
  return [
    { head: 'Component', isRowName: true, cell: (module) => <ModuleName module={module} /> },
    { head: 'Used by', isPlain: true, cell: (module) => <Uses module={module} opened={opened} onOpen={onOpen} /> },
    { head: 'Chunks', isPlain: true, cell: (module) => <Chunks module={module} /> },
    {
      head: 'Bytes',
      isNumber: true,
      isBeside: true,
      cell: ({ row, bytes }) => (
        <PlaceLink flight={opened.flight} place={{ row }} onOpen={onOpen}>
          {formatBytes(bytes)}
        </PlaceLink>
      ),
    },
    {
      head: opened.response?.transfer ? 'Sent' : 'Compressed',
      isNumber: true,
      isBeside: true,
      cell: ({ compressed }) => `≈ ${formatBytes(compressed)}`,
    },
  ];
}

function ModuleTable({ opened, onOpen, modules }: TableProps) {
  const [count, setCount] = useState(step);
  return (
    <>
      <Table columns={listColumns({ opened, onOpen })} rows={modules.slice(0, count)} keyOf={({ row }) => row} />
      {count >= modules.length ? null : (
        <button type="button" className="button-small" onClick={() => setCount(count + step)}>
          {`Show ${formatCount(Math.min(step, modules.length - count))} of ${formatCount(modules.length - count)} more`}
        </button>
      )}
    </>
  );
}

/** Vite names files from the project's root; its RSC plugin adds a mark behind them. Ids and names of bundles are no files. */
function findFile({ source, module }: ModuleUse): string | undefined {
  const [file = ''] = (source ?? module).split(/[?#]|\$\$cache=/, 1);
  return /\.[cm]?[jt]sx?$/.test(file) ? file.replace(/^\/(?!@fs\/)/, '') : undefined;
}

function ModuleName({ module }: { readonly module: ModuleUse }) {
  const file = findFile(module);
  return (
    <>
      <span className="flight-map-name">{nameModule(module)}</span>
      <span className="block text-quiet text-[0.8125rem] font-normal [overflow-wrap:anywhere]">
        <SourceLink place={file === undefined ? undefined : { file, line: 1, column: 1 }}>
          {module.source ?? (module.module === '' ? 'without an id' : `id ${module.module}`)}
        </SourceLink>
      </span>
    </>
  );
}

function Uses({ module, opened, onOpen }: Pick<ModulesProps, 'opened' | 'onOpen'> & { readonly module: ModuleUse }) {
  const [isWhole, setWhole] = useState(false);
  if (isUnused(module)) return <Unused module={module} flight={opened.flight} />;
  const { elements, values, places } = module;
  const shown = isWhole ? places : places.slice(0, firstPlaces);
  const words = [
    elements === 0 ? '' : elements === 1 ? 'one element' : `${formatCount(elements)} elements`,
    values === 0 ? '' : values === 1 ? 'passed on once' : `passed on ${formatCount(values)} times`,
  ];
  return (
    <>
      {words.filter((part) => part !== '').join(', ')}
      <ul className="flex flex-wrap gap-x-[0.9rem] list-none">
        {shown.map((place, index) => (
          <li key={index}>
            <PlaceLink flight={opened.flight} place={place} onOpen={onOpen}>
              {`row ${nameRow(opened.flight, place.row)}${place.start === undefined ? '' : ` at ${formatCount(place.start)}`}`}
            </PlaceLink>
          </li>
        ))}
        {places.length > shown.length ? (
          <li>
            <button type="button" className="button-small" onClick={() => setWhole(true)}>
              {places.length - shown.length} more
            </button>
          </li>
        ) : null}
      </ul>
    </>
  );
}

/** Says that nothing uses the module. Of a payload that is not whole, the use may be in what is missing. */
function Unused({ module, flight }: { readonly module: ModuleUse; readonly flight: Flight }) {
  if (module.debugUses > 0) return <span className="text-quiet">only in development’s data</span>;
  const isWhole = flight.state.kind === 'complete' && flight.marker !== 'partial';
  if (!isWhole) return <span className="text-quiet">not in what came</span>;
  return <span className="flight-unused">not used</span>;
}

/** The names are only text: nothing that was recorded is fetched. */
function Chunks({ module: { chunks } }: { readonly module: ModuleUse }) {
  if (chunks.length === 0) return <span className="text-quiet">none</span>;
  if (chunks.length === 1) return <code className="[overflow-wrap:anywhere]">{chunks[0]}</code>;
  return (
    <details>
      <summary>{formatCount(chunks.length)} chunks</summary>
      <ul className="grid gap-2 list-none">
        {chunks.map((chunk, index) => (
          <li key={index}>
            <code className="[overflow-wrap:anywhere]">{chunk}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
