import type { ReactNode } from 'react';

import { triageFaults } from '#src/faults/actions/triage-faults.ts';
import { AbsoluteTime, Moment } from '#src/ui/moment.tsx';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';

type FormProps = {
  readonly fault: { readonly id: string };
  /** The address of the page. */
  readonly back: string;
  readonly children: ReactNode;
};

function TriageForm({ fault, back, children }: FormProps) {
  return (
    <form action={triageFaults} className="flex flex-wrap items-center gap-2">
      <input type="hidden" name="fault" value={fault.id} />
      <input type="hidden" name="back" value={back} />
      {children}
    </form>
  );
}

/** What the operator made of it, and when. */
function StateText({ fault: { stateDetails: state, stateTime }, now }: { fault: FaultDetails; now: number }) {
  const when = <Moment time={stateTime} now={now} isDense />;
  switch (state.type) {
    case 'open':
      return <>Opened {when}.</>;
    case 'muted':
      return <>Muted {when}: it is counted, and nobody is told.</>;
    case 'resolved':
      switch (state.in.type) {
        case 'now':
          return <>Resolved {when}. The next error opens it again.</>;
        case 'release':
          return (
            <>
              Resolved in release <span className="code">{state.in.release}</span>, {when}. An error in it or in a later
              one opens it again.
            </>
          );
        case 'next-release':
          return (
            <>Resolved in the next release, {when}. An error in a later one that is not known yet opens it again.</>
          );
      }
    // falls through: each case above returns
    case 'snoozed':
      switch (state.until.type) {
        case 'time':
          return (
            <>
              Snoozed {when}, until <AbsoluteTime time={state.until.time} />.
            </>
          );
        case 'volume':
          return (
            <>
              Snoozed {when}, until it occurs {state.until.count} times within{' '}
              {state.until.hours === 1 ? 'an hour' : `${state.until.hours} hours`}.
            </>
          );
      }
  }
}

/** Hours with their caption. */
const snoozes = [
  [1, '1 h'],
  [24, '24 h'],
  [168, '7 days'],
] as const;

function Resolve({ fault, releases, back }: Omit<FaultTriageProps, 'now'>) {
  return (
    <details name="triage">
      <summary className="text-sm">Resolve in a release</summary>
      <div className="stack-2 pt-2">
        <TriageForm fault={fault} back={back}>
          <button type="submit" name="to" value="resolve-next">
            In the next release
          </button>
          <span className="text-sm text-quiet">in the first that is not known yet</span>
        </TriageForm>
        <TriageForm fault={fault} back={back}>
          <label className="text-sm" htmlFor="release">
            In release
          </label>
          <input
            id="release"
            name="release"
            required
            maxLength={200}
            defaultValue={fault.lastRelease}
            autoComplete="off"
            spellCheck={false}
            list="releases"
            className="w-40 font-mono"
          />
          <datalist id="releases">
            {releases.map((release) => (
              <option key={release}>{release}</option>
            ))}
          </datalist>
          <button type="submit" name="to" value="resolve-in">
            Resolve in it
          </button>
        </TriageForm>
      </div>
    </details>
  );
}

function Snooze({ fault, back }: { fault: FaultDetails; back: string }) {
  return (
    <details name="triage">
      <summary className="text-sm">Snooze</summary>
      <div className="stack-2 pt-2">
        <TriageForm fault={fault} back={back}>
          <input type="hidden" name="to" value="snooze" />
          <span className="text-sm">For</span>
          {snoozes.map(([hours, caption]) => (
            <button key={hours} type="submit" name="hours" value={hours}>
              {caption}
            </button>
          ))}
        </TriageForm>
        <TriageForm fault={fault} back={back}>
          <input type="hidden" name="hours" value="1" />
          <label className="text-sm" htmlFor="count">
            Until it occurs within an hour so many times
          </label>
          <input
            id="count"
            name="count"
            type="number"
            required
            min={1}
            max={1_000_000}
            defaultValue={100}
            className="w-28"
          />
          <button type="submit" name="to" value="snooze-volume">
            Snooze
          </button>
        </TriageForm>
      </div>
    </details>
  );
}

type FaultTriageProps = {
  readonly fault: FaultDetails;
  /** Names to choose from. */
  readonly releases: readonly string[];
  readonly back: string;
  readonly now: number;
};

/** What the operator can make of a fault. All of it works without JavaScript, and can be undone. */
export function FaultTriage({ fault, releases, back, now }: FaultTriageProps) {
  const { type } = fault.stateDetails;
  return (
    <section aria-label="Triage" className="panel stack-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p>
          <StateText fault={fault} now={now} />
        </p>
        <TriageForm fault={fault} back={back}>
          {type === 'resolved' ? null : (
            <button type="submit" name="to" value="resolve" className="button-primary">
              Resolve
            </button>
          )}
          {type === 'open' ? null : (
            <button type="submit" name="to" value="open">
              Reopen
            </button>
          )}
          {type === 'open' && fault.unseen !== null ? (
            <button type="submit" name="to" value="open">
              Acknowledge
            </button>
          ) : null}
          {type === 'muted' ? null : (
            <button type="submit" name="to" value="mute">
              Mute
            </button>
          )}
        </TriageForm>
      </div>
      {/* What was chosen in a fold is done: in a new state the folds are closed again. */}
      <div key={fault.stateTime} className="flex flex-wrap items-start gap-x-6 gap-y-1">
        <Resolve fault={fault} releases={releases} back={back} />
        <Snooze fault={fault} back={back} />
      </div>
    </section>
  );
}
