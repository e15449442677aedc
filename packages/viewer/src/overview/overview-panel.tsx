import './overview-panel.css';

import { useMemo } from 'react';

import { Facts, type Fact } from '../facts.tsx';
import { Panel } from '../panel.tsx';
import {
  describePersonalData,
  readErrors,
  guessFramework,
  guessReact,
  nameFramework,
  type NextMarker,
  printRow,
  readRow,
} from '#flight';

import { ByteKinds } from './byte-kinds.tsx';
import { FirstFindings } from './first-findings.tsx';
import { FlightErrors } from './flight-errors.tsx';
import { FlightStateWords } from './flight-state-words.tsx';
import { FlightTotals } from './flight-totals.tsx';
import type { PanelProps } from '../opened-flight.ts';
import { RowLink } from '../row-link.tsx';
import { useUnderstood } from '../use-understood.ts';

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
          {nameFramework(framework.guess)}
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
    { name: 'Personal data', value: <PersonalData opened={opened} /> },
    ...opened.facts,
  ];
}

/** How much of it, and not what: a page may be there to show it. */
function PersonalData({ opened }: Pick<PanelProps, 'opened'>) {
  const state = useUnderstood(opened);
  if (state.kind !== 'known' || state.understood.personal === 'waiting') return '…';
  const { personal } = state.understood;
  return personal === 'failed'
    ? 'not looked for: a file did not load'
    : (describePersonalData(personal) ?? 'none that shows');
}

/** Whether the flight is complete, what its bytes are, what stands out in it, what it is, and what failed in it. */
export function OverviewPanel({ opened, onSelect }: PanelProps) {
  const { flight } = opened;
  const errors = useMemo(() => readErrors(flight), [flight]);
  const origin = useMemo(() => describeOrigin({ opened, onSelect }), [opened, onSelect]);
  return (
    <>
      <FlightStateWords opened={opened} onSelect={onSelect} />
      <Panel title="What the bytes are">
        <FlightTotals opened={opened} />
        <ByteKinds opened={opened} />
      </Panel>
      <FirstFindings opened={opened} onOpen={onSelect} />
      {errors.length === 0 ? null : <FlightErrors flight={flight} errors={errors} onSelect={onSelect} />}
      <Panel title="What it is">
        <Facts facts={origin} />
      </Panel>
    </>
  );
}
