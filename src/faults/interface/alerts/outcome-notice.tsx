import 'server-only';

import type { FormOutcome } from '#src/faults/alerts/form-outcome.ts';
import { CopyText } from '#src/ui/copy-text.tsx';

/** What came of a form that has no place of its own any more. The element is there before its text, so that it is announced. */
export function OutcomeNotice({ outcome }: { outcome: FormOutcome | undefined }) {
  return (
    <div role="status">
      {outcome?.type === 'added' ? (
        <div className="panel stack-2 px-4 py-3.5">
          <p>
            <strong>{outcome.name}</strong> is added. Send a test to see that it works.
          </p>
          {outcome.secret === undefined ? null : (
            <>
              <p>Its messages are signed with this secret. Copy it into the receiver now: it is not shown again.</p>
              <CopyText text={{ what: 'the secret', text: outcome.secret }} />
            </>
          )}
        </div>
      ) : null}
      {outcome?.type === 'removed' ? <p>The channel is removed, with its messages.</p> : null}
      {outcome?.type === 'gone' ? <p className="font-medium text-error">This channel is not there any more.</p> : null}
    </div>
  );
}
