import 'server-only';

import { addScrubKeys } from '#src/faults/actions/add-scrub-keys.ts';
import { removeScrubKey } from '#src/faults/actions/remove-scrub-key.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import type { FormOutcome } from '#src/faults/scrubbing/form-outcome.ts';
import { type AddKeysResult, keyLengthLimit, ownKeysLimit } from '#src/faults/scrubbing/own-keys.ts';

function describeProblem(result: Extract<AddKeysResult, { readonly type: 'refused' }>): string {
  switch (result.reason) {
    case 'nothing':
      return 'There is no name in it that is not in the list already.';
    case 'too-many':
      return `There can be ${ownKeysLimit} names. Remove some first.`;
    case 'not-a-name':
      return `“${result.name.slice(0, keyLengthLimit)}” is no name: 2 to ${keyLengthLimit} letters, digits, spaces, dots, - and _.`;
  }
}

function describeOutcome(outcome: FormOutcome | undefined): string | undefined {
  if (outcome?.type === 'keys-added' && outcome.result.type === 'added') {
    return `Added: ${outcome.result.names.join(', ')}.`;
  }
  if (outcome?.type !== 'key-removed') return undefined;
  return outcome.wasThere ? `Removed: ${outcome.name}.` : `${outcome.name} is not in the list any more.`;
}

function KeyList({ names }: { names: readonly string[] }) {
  return (
    <ul className="stack-1.5" aria-label="Your keys">
      {names.map((name) => (
        <li key={name} className="flex flex-wrap items-center justify-between gap-x-4">
          <span className="code">{name}</span>
          <form action={removeScrubKey}>
            <input type="hidden" name="name" value={name} />
            <button type="submit" className="button-small" aria-label={`Remove ${name}`}>
              Remove
            </button>
          </form>
        </li>
      ))}
    </ul>
  );
}

/** Plain forms: they need no JavaScript, and what was typed comes back when it is refused. */
export function OwnKeys({ names, outcome }: { names: readonly string[]; outcome: FormOutcome | undefined }) {
  const refused = outcome?.type === 'keys-added' && outcome.result.type === 'refused' ? outcome : undefined;
  const problem = refused?.result.type === 'refused' ? describeProblem(refused.result) : undefined;
  return (
    <>
      <p role="status" className="text-sm text-quiet">
        {describeOutcome(outcome)}
      </p>
      {names.length > 0 ? (
        <KeyList names={names} />
      ) : (
        <EmptyState title="No keys of your own">
          <p>Add the names under which your app has what nobody else should read, such as a customer’s number.</p>
        </EmptyState>
      )}
      <form action={addScrubKeys} className="stack-2">
        <label className="grid max-w-xl gap-1">
          Names of keys, one a line
          <textarea
            name="names"
            rows={4}
            required
            defaultValue={refused?.typed ?? ''}
            spellCheck={false}
            autoComplete="off"
            aria-describedby="own-keys-help"
          />
        </label>
        <p id="own-keys-help" className="text-sm text-quiet">
          customer_no is also Customer-No and customerNo. The value is removed in data, and in texts that say{' '}
          <span className="code">customer_no=…</span> or <span className="code">customer_no: …</span>.
        </p>
        <p role="alert" className="font-medium text-error">
          {problem}
        </p>
        <button type="submit" className="h-11">
          Add
        </button>
      </form>
    </>
  );
}
