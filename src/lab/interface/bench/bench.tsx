import { Suspense, use, useCallback, useMemo, useRef, useState, type MouseEvent, type ReactNode } from 'react';

import { countOf, formatBytes, formatDuration } from '#flight';
import { SaveAsOneFile } from '#src/flights/interface/decode/save-as-one-file.tsx';
import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';
import { experimentPath } from '#src/server/http/addresses.ts';
import { Panel } from '#viewer/panel.tsx';
import { useReferences } from '#viewer/use-references.ts';

import { ChangedParts } from './changed-parts.tsx';
import { describeUse } from './describe-use.ts';
import { readShown, type Shown } from './read-shown.ts';
import { ResultBoundary } from './result-boundary.tsx';
import { Rows } from './rows.tsx';
import { StepButtons } from './step-buttons.tsx';
import { useAlone, type Alone } from './use-alone.ts';
import { useStage, type Position } from './use-stage.ts';

export type BenchProps = {
  readonly name: string;
  readonly title: string;
  /** What the experiment is given, as an address has it. */
  readonly query: string;
  readonly texts: readonly { readonly title: string; readonly text: string }[];
  /** Hashed ids of its modules, and their files. */
  readonly sources: readonly (readonly [id: string, file: string])[];
};

function Root({ root }: { readonly root: Promise<ReactNode> }) {
  return use(root);
}

function describeStatus({ status, chunks }: Alone, { flight }: Shown): string {
  const size = formatBytes(flight.bytes.length);
  switch (status.kind) {
    case 'open':
      return chunks.length === 0 ? 'Waiting for the first row …' : `${size} so far, more may come …`;
    case 'ended':
      return `${size} in ${countOf(chunks.length, 'chunk')}, the last after ${formatDuration(chunks.at(-1)?.ms ?? 0)}`;
    case 'failed':
      return status.reason;
  }
}

/** The files of the experiment and its payload alone, as one file that opens anywhere. */
type ShareProps = Pick<BenchProps, 'title' | 'texts' | 'sources'> & {
  readonly shown: Shown;
  readonly isWhole: boolean;
};

function Share({
  title,
  texts,
  sources,
  shown: {
    flight: { bytes },
    chunks,
  },
  isWhole,
}: ShareProps) {
  async function make() {
    const saved = {
      title: `${title}, alone`,
      facts: [{ name: 'Rendered', value: 'The experiment alone, without page and layout' }],
      direction: 'response',
      bytes,
      chunks,
      sizes: { response: bytes.length, transferred: undefined },
      pageSource: undefined,
      response: { isPrefetch: false, isPrerender: false, isCut: !isWhole },
      sources,
    } as const;
    return { title: `Experiment: ${title}`, flights: [saved], comparisons: [], texts };
  }
  return <SaveAsOneFile make={make} />;
}

function firstRow(): Position {
  return { kind: 'step', step: 0 };
}

/** Where a reader is. A variant that is stepped through begins anew; where all is shown, all of it is. */
function usePosition({ address }: Alone, begin: Position) {
  const [state, setState] = useState({ address, position: begin });
  const change = useCallback((position: Position) => setState(({ address: of }) => ({ address: of, position })), []);
  if (state.address === address) return [state.position, change] as const;
  const position = state.position.kind === 'all' ? state.position : firstRow();
  setState({ address, position });
  return [position, change] as const;
}

/** What stands in place of a result that React does not show. */
function describeNothing({ flight: { root } }: Shown, position: Position): string {
  const isGiven = root !== undefined && (position.kind === 'all' || position.step >= root);
  return isGiven
    ? 'Row 0 is here. It waits for rows, or for code, that are not here yet, and no Suspense boundary shows a fallback.'
    : 'Nothing yet: the row with id 0 begins it.';
}

type AttemptProps = BenchProps & { readonly begin: Position; readonly onAgain: (position: Position) => void };

function Attempt({ name, title, query, texts, sources, begin, onAgain }: AttemptProps) {
  const alone = useAlone(`${experimentPath('about', name, 'alone')}${query === '' ? '' : `?${query}`}`);
  const shown = useMemo(() => readShown(alone), [alone]);
  const [position, change] = usePosition(alone, begin);
  const result = useRef<HTMLDivElement>(null);
  const { feed, key, changes } = useStage(alone, shown.steps, position, result);
  const references = useReferences(shown.flight);
  const navigate = useNavigate();
  const row = position.kind === 'step' && position.step < shown.steps.length ? position.step : undefined;
  const used = row === undefined ? '' : describeUse(shown.flight, row, references?.to.get(row) ?? []);

  /** Variants of an experiment are links to its own page. Here they choose what is shown here. */
  function follow(event: MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const isOwn = link?.pathname === experimentPath(name) && link.origin === globalThis.location.origin;
    if (!isPlain || !isOwn) return;
    event.preventDefault();
    event.stopPropagation();
    void navigate.push(`${experimentPath('about', name)}${link.search}`, { scroll: false });
  }

  return (
    <>
      <div className="bench-payload">
        <Panel
          title="Payload of this component only"
          aside={<span className="text-sm text-quiet">{describeStatus(alone, shown)}</span>}
        >
          <StepButtons position={position} count={shown.steps.length} onChange={change} />
          {alone.status.kind === 'failed' ? <p role="alert">{alone.status.reason}</p> : null}
          <p className="bench-said text-sm" aria-live="polite">
            <ChangedParts changes={changes} use={references ? used : ''} />
          </p>
          <Rows shown={shown} position={position} onChange={change} />
          <p className="text-sm text-quiet">
            Ids are hexadecimal. <code>Link</code>, where a row names it, is that of the links in the result.
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <Share
              title={title}
              texts={texts}
              sources={sources}
              shown={shown}
              isWhole={alone.status.kind === 'ended'}
            />
            <button type="button" onClick={() => onAgain(position.kind === 'all' ? position : firstRow())}>
              Render it again
            </button>
          </div>
        </Panel>
      </div>
      <div className="bench-result">
        <Panel title="The result">
          <p className="text-sm text-quiet">As React renders these rows here, in your browser.</p>
          {/* It scrolls, by the keyboard, too. */}
          <div
            ref={result}
            className="bench-shown stack-3"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            role="group"
            aria-label="What is shown"
            onClickCapture={follow}
          >
            <Suspense key={key} fallback={<p className="text-quiet">{describeNothing(shown, position)}</p>}>
              <ResultBoundary of={feed}>
                <Root root={feed.root} />
              </ResultBoundary>
            </Suspense>
          </div>
        </Panel>
      </div>
    </>
  );
}

/** The payload of an experiment alone, row by row, and what React makes of it here. Loaded lazily, with the decoder. */
export function Bench(props: BenchProps) {
  const [{ attempt, begin }, setAttempt] = useState({ attempt: 0, begin: firstRow() });
  return (
    <Attempt
      key={attempt}
      {...props}
      begin={begin}
      onAgain={(position) => setAttempt({ attempt: attempt + 1, begin: position })}
    />
  );
}
