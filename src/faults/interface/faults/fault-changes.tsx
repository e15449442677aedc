import { formatDuration } from '#flight';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { readFaultChanges } from '#src/faults/grouping/read-fault-changes.ts';

/** Releases are heard of with their errors, so a fault is often the first sign of its release. */
const atOnceMs = 1_000;

/** Says with which release the fault came, and how long after it. */
export async function FaultChanges({ fault, now }: { fault: FaultDetails; now: number }) {
  const changes = await readFaultChanges(fault);
  if (!changes) return null;
  const { release, releaseTime, before } = changes;
  const after = fault.firstTime - releaseTime;
  return (
    <Panel title="What changed">
      <p>
        First seen in release <span className="code font-semibold">{release}</span>
        {after < atOnceMs
          ? ', and it is the first that was heard of that release.'
          : `, ${formatDuration(after)} after the first that was heard of it.`}
      </p>
      {before ? (
        <p className="text-sm text-quiet">
          The release before is <span className="code">{before.release}</span>, first heard of{' '}
          <Moment time={before.time} now={now} isDense />.
        </p>
      ) : (
        <p className="text-sm text-quiet">No release of the same package before it is known here.</p>
      )}
    </Panel>
  );
}
