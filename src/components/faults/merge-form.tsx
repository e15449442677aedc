import { mergeIntoFault } from '#src/actions/merge-into-fault.ts';

/** Takes another fault into this one. Behind a fold: it is rarely needed. */
export function MergeForm({ fault, back }: { fault: { readonly id: string }; back: string }) {
  return (
    <details>
      <summary className="text-sm">Merge another fault into this one</summary>
      <form action={mergeIntoFault} className="stack-2 pt-2">
        <input type="hidden" name="fault" value={fault.id} />
        <input type="hidden" name="back" value={back} />
        <label className="block">
          Its address, or its id
          <input
            name="other"
            required
            maxLength={2000}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="block w-full font-mono"
          />
        </label>
        <p className="text-sm text-quiet">
          Its occurrences and its log move here, and its address leads here. It can be undone.
        </p>
        <button type="submit">Merge</button>
      </form>
    </details>
  );
}
