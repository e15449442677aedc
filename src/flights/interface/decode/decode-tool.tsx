'use client';

import './decode-tool.css';

import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useRouter } from 'waku/router/client';

import { useHydrated } from '#viewer/use-hydrated.ts';
import { PartFailed } from '#viewer/part-failed.tsx';
import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';
import { createPart } from '#src/runtime/navigation/use-part.ts';
import { type Choosing, type ChosenFlight, isChosen } from './choose-box.tsx';
import { parseDecodeQuery, type Shown, toDecodeAddress } from './decode-address.ts';
import { DecodeForm } from './decode-form.tsx';
import type { DecodeViewProps } from './decode-view.tsx';
import { OpenedList } from './opened-list.tsx';
import { useDroppedInputs } from './take-inputs.ts';
import { type Files, type Input, useFiles } from './use-files.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { firstView } from '#viewer/diff/diff-view.ts';
import { formatBytes } from '#flight';
import { LeftOutList } from './left-out-list.tsx';

/** Loaded with the first file that is opened: the page itself is a form and a list. */
const useDecodeView = createPart(async () => (await import('./decode-view.tsx')).DecodeView);

function LoadedView(props: DecodeViewProps) {
  const view = useDecodeView();
  switch (view.kind) {
    case 'loading':
      return <p role="status">Loading …</p>;
    case 'failed':
      return <PartFailed name="The viewer" rest="The opened files are still here." onRetry={view.retry} />;
    case 'ready':
      return <view.part {...props} />;
  }
}

/** What the address says now: something else may have been opened while a file was decoded. */
function readShown(): Shown {
  return parseDecodeQuery(globalThis.location.search);
}

/**
 * A payload in the hash of the address: the examples of /protocol are linked so. It is taken as it is, without repairs. The rest of
 * the hash says what to show of it.
 */
function readHashExample(): { readonly text: string; readonly hash: string } | undefined {
  const parameters = new URLSearchParams(globalThis.location.hash.slice(1));
  const text = parameters.get('text') ?? undefined;
  parameters.delete('text');
  return text === undefined ? undefined : { text, hash: parameters.size === 0 ? '' : `#${parameters.toString()}` };
}

type CompareBarProps = { readonly chosen: readonly ChosenFlight[]; readonly onClear: () => void };

/** What is ticked to be compared. The first that was ticked is before. */
function CompareBar({ chosen, onClear }: CompareBarProps) {
  const [before, after] = chosen;
  if (!before) return null;
  return (
    <section
      aria-label="To be compared"
      className="panel flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-[0.6rem]"
    >
      <p className="min-w-0 [overflow-wrap:anywhere]">
        {after ? (
          <>
            Before: <span className="code">{before.title}</span>, after: <span className="code">{after.title}</span>
          </>
        ) : (
          <>
            <span className="code">{before.title}</span> is ticked. Tick another, of this file or of another one, to
            compare the two.
          </>
        )}
      </p>
      <span className="flex flex-wrap items-center gap-3">
        {after ? (
          <Link
            to={toDecodeAddress({ kind: 'compare', before, after, view: firstView })}
            prefetch="never"
            scroll={false}
          >
            Compare the two
          </Link>
        ) : null}
        <button type="button" className="button-small" onClick={onClear}>
          Untick
        </button>
      </span>
    </section>
  );
}

type DecodeStatusProps = { readonly files: Pick<Files, 'busy' | 'problems'> };

/** What is being decoded, and what could not be. */
function DecodeStatus({ files: { busy, problems } }: DecodeStatusProps) {
  return (
    <>
      <div role="status" aria-live="polite" className="stack-2">
        {busy ? (
          <p>
            Decoding {busy.name}, {formatBytes(busy.size)}
            {busy.count > 1 ? `, ${busy.index + 1} of ${busy.count}` : ''} …
          </p>
        ) : null}
        {problems.map(({ name, title, text }, index) => (
          <div key={index} className="panel decode-problem">
            <h2>{title}</h2>
            <p className="[overflow-wrap:anywhere]">
              <span className="code">{name}</span>: {text}
            </p>
          </div>
        ))}
      </div>
      {problems.map(({ leftOut }, index) => (
        <LeftOutList key={index} leftOut={leftOut} />
      ))}
    </>
  );
}

/** Takes flights from any of the inputs and shows them. Nothing leaves the browser. */
export function DecodeTool() {
  const isHydrated = useHydrated();
  const { query } = useRouter();
  const navigate = useNavigate();
  const files = useFiles();
  const [chosen, setChosen] = useState<readonly ChosenFlight[]>([]);
  const [now] = useState(Date.now);
  const shown: Shown = isHydrated ? parseDecodeQuery(query) : { kind: 'start' };

  const show = useCallback(
    (next: Shown, hash = '') => void navigate.push(`${toDecodeAddress(next)}${hash}`, { scroll: false }),
    [navigate],
  );

  const { open } = files;
  const take = useCallback(
    async (inputs: readonly Input[]) => {
      // Without a file, the hash is of a link to a row of what is opened now.
      const hash = readShown().kind === 'start' ? globalThis.location.hash : '';
      const opened = await open(inputs);
      const [first] = opened;
      if (inputs.length === 1 && first) show({ kind: 'file', file: first.id, flight: undefined }, hash);
      else if (readShown().kind !== 'start') show({ kind: 'start' });
    },
    [open, show],
  );
  const openExample = useEffectEvent(async () => {
    const example = readShown().kind === 'start' ? readHashExample() : undefined;
    if (!example) return;
    const [first] = await open([{ name: 'An example', blob: new Blob([example.text]), isPasted: false }]);
    // In place of the link, which would open it once more on the way back.
    if (!first) return;
    const address = toDecodeAddress({ kind: 'file', file: first.id, flight: undefined });
    await navigate.replace(`${address}${example.hash}`);
  });
  useEffect(() => {
    const timer = setTimeout(() => void openExample());
    return () => clearTimeout(timer);
  }, []);
  const onInputs = useCallback((inputs: readonly Input[]) => void take(inputs), [take]);
  const isOver = useDroppedInputs(onInputs);

  const choosing: Choosing = {
    chosen,
    onToggle: (flight) =>
      setChosen((before) =>
        isChosen(before, flight)
          ? before.filter((other) => other.file !== flight.file || other.flight !== flight.flight)
          : [...before, flight].slice(0, 2),
      ),
  };

  return (
    <div className="stack-4">
      {shown.kind === 'start' ? (
        <>
          <DecodeForm onInputs={onInputs} isBusy={files.busy !== undefined} isOver={isOver} />
          <DecodeStatus files={files} />
          <CompareBar chosen={chosen} onClear={() => setChosen([])} />
          <OpenedList files={files} choosing={choosing} now={now} />
        </>
      ) : (
        <>
          <DecodeStatus files={{ busy: files.busy, problems: [] }} />
          {shown.kind === 'compare' ? null : <CompareBar chosen={chosen} onClear={() => setChosen([])} />}
          <LoadedView shown={shown} files={files} choosing={choosing} onShow={show} />
        </>
      )}
    </div>
  );
}
