import { formatDuration } from '#flight';
import type { ReactNode } from 'react';

import { Facts, type Fact } from '#viewer/facts.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { RecordedFlight } from '../flight/flight-record.ts';
import { listPayloadChunks, readPayload } from '../flight/read-payload.ts';
import { rateVital, thresholdsSource, type CoreVital, type VitalName } from '#src/flights/vitals/rate-vital.ts';
import { parseVitals, type Vitals } from '#src/flights/vitals/vitals.ts';

import { findPaintRow, type PaintRow } from './find-paint-row.ts';
import { formatVital, VitalText } from './vital-text.tsx';

/** The element, and what its time was made of. */
function More({ element, parts }: { element: string | undefined; parts: readonly (string | undefined)[] }) {
  const known = parts.filter((part) => part !== undefined);
  return (
    <>
      {element === undefined ? null : <span className="code block [overflow-wrap:anywhere]">{element}</span>}
      {known.length === 0 ? null : <span className="block text-quiet">{known.join(', ')}</span>}
    </>
  );
}

function timed(what: string, ms: number): string | undefined {
  return ms === 0 ? undefined : `${what} ${formatDuration(ms)}`;
}

function describePaint(lcp: Vitals['lcp']): ReactNode {
  if (!lcp) return null;
  const { element, address, loadDelayMs, loadMs, renderDelayMs } = lcp;
  const parts = [
    address,
    timed('asked for after', loadDelayMs),
    timed('loaded in', loadMs),
    timed('painted after', renderDelayMs),
  ];
  return <More element={element} parts={parts} />;
}

function describeAnswer(inp: Vitals['inp']): ReactNode {
  if (!inp) return null;
  const { element, by, waitedMs, workedMs, paintedMs } = inp;
  const parts = [by, timed('waited', waitedMs), timed('worked', workedMs), timed('painted after', paintedMs)];
  return <More element={element} parts={parts} />;
}

function describeShift(cls: Vitals['cls']): ReactNode {
  if (!cls) return null;
  const { element, atMs } = cls;
  return <More element={element} parts={[atMs === undefined ? undefined : `at ${formatDuration(atMs)}`]} />;
}

/** The join of both sides. What is found by time alone is a guess. */
function PaintText({ vitals: { lcp, ttfb }, row }: { vitals: Vitals; row: PaintRow | undefined }) {
  if (!lcp || !ttfb || ttfb.ms === 0) return null;
  const link = row && <a href={`#row=${row.name}`}>row {row.name}</a>;
  return (
    <p className="text-sm">
      The largest paint came {formatDuration(lcp.ms - ttfb.ms)} after the browser’s first byte.
      {row?.foundBy === 'address' ? (
        <>
          {' '}
          The address of its picture is in {link}, which had been sent {formatDuration(row.beforeMs)} before.
        </>
      ) : null}
      {row?.foundBy === 'time' ? (
        <>
          {' '}
          The last part of the page that had been sent by then is {link}, {formatDuration(row.beforeMs)} before: perhaps
          the paint waited for it.
        </>
      ) : null}
    </p>
  );
}

function Vital({ name, value, more }: { name: CoreVital; value: number | undefined; more: ReactNode }) {
  return (
    <>
      <VitalText name={name} value={value} />
      {more}
    </>
  );
}

/** Those that a browser told. */
function listTold({ lcp, inp, cls, fcp, ttfb }: Vitals): readonly (readonly [VitalName, number])[] {
  const all = [
    ['lcp', lcp?.ms],
    ['inp', inp?.ms],
    ['cls', cls?.score],
    ['fcp', fcp],
    ['ttfb', ttfb?.ms],
  ] as const;
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** What is good stands on one line: what is found in the payload is why somebody looks. */
export function VitalsFold({ vitals, children }: { vitals: Vitals; children: ReactNode }) {
  const told = listTold(vitals);
  if (!told.every(([name, value]) => rateVital(name, value) === 'good')) return children;
  const words = told.map(([name, value]) => `${name.toUpperCase()} ${formatVital(name, value)}`);
  return (
    <details>
      <summary>
        All good <span className="text-quiet">{words.join(' · ')}</span>
      </summary>
      <div className="stack-3 pt-3">{children}</div>
    </details>
  );
}

function listFacts(vitals: Vitals): readonly Fact[] {
  const { lcp, inp, cls, fcp, ttfb } = vitals;
  return [
    { name: 'LCP', value: <Vital name="lcp" value={lcp?.ms} more={describePaint(lcp)} /> },
    { name: 'INP', value: <Vital name="inp" value={inp?.ms} more={describeAnswer(inp)} /> },
    { name: 'CLS', value: <Vital name="cls" value={cls?.score} more={describeShift(cls)} /> },
    { name: 'FCP', value: <VitalText name="fcp" value={fcp} /> },
    { name: 'TTFB', value: <VitalText name="ttfb" value={ttfb?.ms} /> },
  ];
}

/** What the browser of a document told of it, put together with its payload. Nothing where none did. */
export function PageVitals({ flight }: { flight: RecordedFlight }) {
  const vitals = parseVitals(flight.vitals);
  if (!vitals) return null;
  const row = findPaintRow(readPayload(flight), listPayloadChunks(flight), vitals);
  return (
    <Panel title="Web Vitals">
      <VitalsFold vitals={vitals}>
        <p className="text-sm text-quiet">
          As the page’s browser told them, which anybody can do, and rated as <a href={thresholdsSource}>Google does</a>
          . Times are since the navigation began.
        </p>
        <PaintText vitals={vitals} row={row} />
        <Facts facts={listFacts(vitals)} />
      </VitalsFold>
    </Panel>
  );
}
