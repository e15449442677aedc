'use client';

import './decode-tool.css';

import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { type FoundFlight, type HarLeftOut, maxFlightBytes } from '#flight';

import { FlightViewer } from '#src/viewer/flight-viewer.tsx';
import type { OpenedFlight } from '#src/viewer/opened-flight.ts';
import type { DecodeAnswer, DecodeTask } from './decode-task.ts';
import { DecodeForm } from './decode-form.tsx';
import { describeReason, toOpenedFlight } from './describe-found.ts';
import { FoundList } from './found-list.tsx';
import { LeftOutList } from './left-out-list.tsx';
import { runDecodeTask } from './run-decode-task.ts';

/** What was found in a file, to come back to from a flight that was chosen. */
type Choice = {
  readonly name: string;
  readonly flights: readonly FoundFlight[];
  readonly leftOut: readonly HarLeftOut[];
};

type State =
  | { readonly kind: 'empty' }
  | { readonly kind: 'reading'; readonly name: string }
  | {
      readonly kind: 'problem';
      readonly title: string;
      readonly text: string;
      readonly leftOut?: readonly HarLeftOut[];
    }
  | ({ readonly kind: 'choosing' } & Choice)
  | {
      readonly kind: 'opened';
      readonly opened: OpenedFlight;
      /** The list from which it was chosen. */
      readonly from: Choice | undefined;
    };

function toState(answer: DecodeAnswer, name: string, from: Choice | undefined): State {
  if (answer.kind === 'opened') {
    return { kind: 'opened', opened: toOpenedFlight(answer.found, answer.flight, from?.name ?? name), from };
  }
  const { input } = answer;
  return input.kind === 'unreadable'
    ? { kind: 'problem', ...describeReason(input.reason, input.detail), leftOut: input.leftOut }
    : { kind: 'choosing', name, flights: input.flights, leftOut: input.leftOut };
}

/** The hash of the address is about one flight and means nothing for the next. */
function clearHash(): void {
  const { pathname, search } = globalThis.location;
  globalThis.history.replaceState(globalThis.history.state, '', pathname + search);
}

/** A payload in the address itself, as the examples of /protocol are linked to. It is taken as it is, without repairs. */
function readHashText(): string | undefined {
  return new URLSearchParams(globalThis.location.hash.slice(1)).get('text') ?? undefined;
}

/** Takes a flight from any of the inputs and shows it. Nothing leaves the browser. */
export function DecodeTool() {
  const [state, setState] = useState<State>({ kind: 'empty' });
  const latest = useRef(0);
  const view = useRef<HTMLDivElement>(null);

  async function run(task: DecodeTask, name: string, from?: Choice) {
    const turn = ++latest.current;
    // For the first flight the hash stays, because a link to a row contains one.
    if (state.kind !== 'empty') clearHash();
    setState({ kind: 'reading', name });
    let next: State;
    try {
      next = toState(await runDecodeTask(task), name, from);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      next = { kind: 'problem', title: 'It could not be decoded', text };
    }
    // Something else was chosen meanwhile.
    if (turn === latest.current) setState(next);
  }

  async function decodeFile(file: File) {
    if (file.size > maxFlightBytes) {
      latest.current += 1;
      setState({ kind: 'problem', ...describeReason('too-large') });
      return;
    }
    setState({ kind: 'reading', name: file.name });
    await run({ kind: 'find', bytes: new Uint8Array(await file.arrayBuffer()), isPasted: false }, file.name);
  }

  function decodeText(text: string, name: string) {
    void run({ kind: 'find', bytes: new TextEncoder().encode(text), isPasted: true }, name);
  }

  const openExample = useEffectEvent(() => {
    const text = readHashText();
    if (text === undefined) return;
    void run({ kind: 'find', bytes: new TextEncoder().encode(text), isPasted: false }, 'An example');
  });
  useEffect(() => {
    const timer = setTimeout(openExample);
    return () => clearTimeout(timer);
  }, []);

  const isOpened = state.kind === 'opened';
  useEffect(() => {
    if (isOpened) view.current?.focus({ preventScroll: true });
  }, [isOpened]);

  if (state.kind === 'opened') {
    const { opened, from } = state;
    return (
      <div ref={view} tabIndex={-1} className="stack-4 outline-none">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h2 className="min-w-0 text-lg [overflow-wrap:anywhere]">{opened.title}</h2>
          <span className="ml-auto flex flex-wrap gap-2">
            {from ? (
              <button
                type="button"
                onClick={() => {
                  clearHash();
                  setState({ kind: 'choosing', ...from });
                }}
              >
                Back to the {from.flights.length} found
              </button>
            ) : null}
            <button
              type="button"
              onClick={() => {
                clearHash();
                setState({ kind: 'empty' });
              }}
            >
              Decode another
            </button>
          </span>
        </div>
        <FlightViewer opened={opened} />
      </div>
    );
  }
  return (
    <div className="stack-4">
      <DecodeForm onText={decodeText} onFile={(file) => void decodeFile(file)} isBusy={state.kind === 'reading'} />
      <div role="status" aria-live="polite">
        {state.kind === 'reading' ? <p>Decoding {state.name} …</p> : null}
        {state.kind === 'problem' ? (
          <div className="panel flight-state" data-mark="bad">
            <h2>{state.title}</h2>
            <p>{state.text}</p>
          </div>
        ) : null}
      </div>
      {state.kind === 'problem' && state.leftOut ? <LeftOutList leftOut={state.leftOut} /> : null}
      {state.kind === 'choosing' ? (
        <>
          <FoundList
            name={state.name}
            flights={state.flights}
            onChoose={(found, title) => {
              const { name, flights, leftOut } = state;
              void run({ kind: 'open', found }, title, { name, flights, leftOut });
            }}
          />
          <LeftOutList leftOut={state.leftOut} />
        </>
      ) : null}
    </div>
  );
}
