import './overview-panel.css';

import { useMemo } from 'react';

import { Facts, type Fact } from '#src/components/facts.tsx';
import { Panel } from '#src/components/panel.tsx';
import {
  readErrors,
  guessFramework,
  guessReact,
  type Framework,
  type NextMarker,
  printRow,
  readRow,
  formatBytes,
  formatCount,
  formatDuration,
} from '#flight';

import { readArrival } from '../arrival.ts';
import { BytesByKind } from './bytes-by-kind.tsx';
import { FirstFindings } from './first-findings.tsx';
import { FlightErrors } from './flight-errors.tsx';
import { FlightStateWords } from './flight-state-words.tsx';
import type { PanelProps } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { readRowTable } from '../row-table.ts';
import { useGzipSize } from '../use-gzip-size.ts';

const frameworkNames: Record<Framework, string> = {
  waku: 'Waku',
  next: 'Next.js',
  'react-router': 'React Router',
  'vite-rsc': '@vitejs/plugin-rsc',
  redwood: 'RedwoodSDK',
  parcel: 'Parcel',
  'tanstack-start': 'TanStack Start',
};

const markerWords: Record<NextMarker, string> = {
  complete: 'this payload is complete',
  partial: 'this payload is partial: its holes come with another request',
};

function Because({ children }: { children: string }) {
  return <span className="block text-[0.8125rem] text-quiet">{children}</span>;
}

function describeOrigin({ opened, onSelect }: Pick<PanelProps, 'opened' | 'onSelect'>): Fact[] {
  const { flight } = opened;
  const framework = guessFramework(flight, opened.pageSource);
  const react = guessReact(flight);
  return [
    {
      name: 'Framework',
      value: framework ? (
        <>
          {frameworkNames[framework.guess]}
          <Because>{framework.because}</Because>
        </>
      ) : (
        'does not show'
      ),
    },
    {
      name: 'React',
      value: (
        <>
          {react.guess} or newer{react.isDevelopment ? ', development' : ''}
          <Because>{react.because}</Because>
        </>
      ),
    },
    {
      name: 'Root',
      value:
        flight.root === undefined ? (
          'never came'
        ) : (
          <>
            <RowLink flight={flight} row={flight.root} onSelect={onSelect} />{' '}
            <code>{printRow(flight, readRow(flight, flight.root))}</code>
          </>
        ),
    },
    ...(flight.marker ? [{ name: 'Next.js says', value: markerWords[flight.marker] }] : []),
    {
      name: 'Direction',
      value: flight.direction === 'response' ? 'from the server' : 'to the server: an action’s arguments',
    },
    ...opened.facts,
  ];
}

/** What the flight is, whether it is complete, how large it is, and what failed in it. */
export function OverviewPanel({ opened, onSelect }: PanelProps) {
  const { flight, bytes, chunks } = opened;
  const table = readRowTable(flight);
  const errors = useMemo(() => readErrors(flight), [flight]);
  const origin = useMemo(() => describeOrigin({ opened, onSelect }), [opened, onSelect]);
  const gzip = useGzipSize(opened);
  const arrival = useMemo(() => readArrival(opened), [opened]);
  return (
    <>
      <FlightStateWords flight={flight} onSelect={onSelect} />
      <dl className="flight-totals">
        <div>
          <dt>Rows</dt>
          <dd>{formatCount(table.count)}</dd>
        </div>
        <div>
          <dt>Bytes</dt>
          <dd>{formatBytes(bytes.length)}</dd>
        </div>
        <div>
          <dt>With gzip, estimated</dt>
          <dd>{gzip === undefined ? '…' : formatBytes(gzip)}</dd>
        </div>
        <div>
          <dt>{chunks.length === 0 ? 'Times' : `In ${formatCount(chunks.length)} chunks`}</dt>
          <dd>{chunks.length === 0 ? 'unknown' : formatDuration(arrival.end)}</dd>
        </div>
      </dl>
      <FirstFindings opened={opened} onOpen={onSelect} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <Panel title="What it is">
            <Facts facts={origin} />
          </Panel>
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel title="Bytes by kind of row">
            <BytesByKind table={table} />
          </Panel>
          {errors.length === 0 ? null : <FlightErrors flight={flight} errors={errors} onSelect={onSelect} />}
        </div>
      </div>
    </>
  );
}
