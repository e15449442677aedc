import { removeFlight } from '#src/actions/remove-flight.ts';

/** Behind a fold, so that deleting takes two clicks, with and without JavaScript. */
export function DeleteFlightForm({ id }: { id: number }) {
  return (
    <details>
      <summary>Delete</summary>
      <form action={removeFlight} className="stack-2 pt-2">
        <input type="hidden" name="id" value={id} />
        <p>Its payload, times and arguments are deleted, from the disk too. Its errors stay.</p>
        <button type="submit">Delete this flight</button>
      </form>
    </details>
  );
}
