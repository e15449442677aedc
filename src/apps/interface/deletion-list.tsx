import { countOf } from '#flight';
import type { Deletion } from '#src/apps/deletions.ts';

function describe({ flightsLeft, problem }: Deletion): string {
  const again = 'It is tried again, at the next start at the latest.';
  if (problem !== undefined) return `could not be deleted (${problem}). ${again}`;
  if (flightsLeft === undefined) return 'is being deleted: its errors first.';
  return `is being deleted: ${countOf(flightsLeft, 'flight')} ${flightsLeft === 1 ? 'is' : 'are'} left.`;
}

/** Apps that were deleted and whose data is not gone yet. */
export function DeletionList({ deletions }: { deletions: readonly Deletion[] }) {
  return (
    <div role="status" className="stack-1">
      {deletions.map((deletion) => (
        <p key={deletion.app} className={deletion.problem === undefined ? '' : 'font-medium text-error'}>
          <strong>{deletion.name}</strong> {describe(deletion)}
        </p>
      ))}
    </div>
  );
}
