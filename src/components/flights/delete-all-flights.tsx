'use client';

import { formatCount } from '#flight';
import { deleteRecording } from '#src/actions/delete-recording.ts';
import { useFormAction } from '#src/runtime/actions/use-form-action.ts';

/** Behind a fold, so that deleting takes two clicks, with and without JavaScript. */
export function DeleteAllFlights({ count }: { count: number }) {
  const form = useFormAction(deleteRecording);
  if (count === 0) return null;
  return (
    <details>
      <summary>Delete everything recorded</summary>
      <form {...form} className="stack-2 pt-2">
        <p>All {formatCount(count)} flights are deleted, from the disk too. Errors and their reports stay.</p>
        <button type="submit">Delete all flights</button>
      </form>
    </details>
  );
}
