import 'server-only';

import { formatCount } from '#flight';
import { scrubStored } from '#src/faults/actions/scrub-stored.ts';
import { Moment } from '#src/ui/moment.tsx';
import { scrubbingPath } from '#src/server/http/addresses.ts';
import type { RescrubState } from '#src/faults/scrubbing/rescrub.ts';

function Progress({ state, now }: { state: RescrubState; now: number }) {
  switch (state.type) {
    case 'never':
      return null;
    case 'running':
      return (
        <>
          <p>
            <progress max={Math.max(1, state.total)} value={state.done} aria-label="Scrubbing what is stored" />{' '}
            {formatCount(state.done)} of {formatCount(state.total)} rows looked at, {formatCount(state.changed)}{' '}
            changed.
          </p>
          <p>
            <a href={scrubbingPath}>See how far it is now</a>
          </p>
        </>
      );
    case 'done':
      return (
        <p>
          Done <Moment time={state.at} now={now} />: {formatCount(state.total)} rows looked at,{' '}
          {formatCount(state.changed)} changed.
        </p>
      );
    case 'failed':
      return <p className="font-medium text-error">It stopped: {state.reason}. You can start it again.</p>;
  }
}

export function RescrubForm({ state, now }: { state: RescrubState; now: number }) {
  return (
    <>
      <p>
        New rules and keys apply to what comes from now on. What is stored can be scrubbed again in the background; it
        is not undone.
      </p>
      <div role="status" className="stack-2">
        <Progress state={state} now={now} />
      </div>
      {state.type === 'running' ? null : (
        <form action={scrubStored}>
          <button type="submit" className="h-11">
            Scrub what is stored again
          </button>
        </form>
      )}
    </>
  );
}
