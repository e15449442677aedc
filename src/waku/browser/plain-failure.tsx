import { formatDigest } from '#report/digest.ts';
import { failureTitle } from '#src/runtime/errors/failure-text.ts';

/** What is shown of a failure until the error panel is loaded, or where it cannot be. */
export function PlainFailure({ digest }: { readonly digest: string | undefined }) {
  return (
    <div role="alert" data-flight-digest={digest}>
      <p>{failureTitle}.</p>
      {digest === undefined ? null : (
        <p>
          Digest: <code>{formatDigest(digest)}</code>
        </p>
      )}
    </div>
  );
}
