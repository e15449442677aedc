import 'server-only';

import { tryScrubbing as tryIt } from '#src/faults/actions/try-scrubbing.ts';
import type { FormOutcome } from '#src/faults/scrubbing/form-outcome.ts';

function Result({ title, text, given }: { title: string; text: string; given: string }) {
  return (
    <div className="stack-1.5">
      <h3>{title}</h3>
      <pre className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</pre>
      {text === given ? <p className="text-sm text-quiet">Nothing is removed from it.</p> : null}
    </div>
  );
}

/** A plain form, posted: what somebody tries must not stand in an address. */
export function TryScrubbing({ outcome }: { outcome: FormOutcome | undefined }) {
  const tried = outcome?.type === 'tried' && outcome.text !== '' ? outcome : undefined;
  return (
    <>
      <form action={tryIt} className="stack-2">
        <label className="grid max-w-xl gap-1">
          A text
          <textarea
            name="text"
            rows={4}
            required
            maxLength={8192}
            defaultValue={tried?.text ?? ''}
            spellCheck={false}
            autoComplete="off"
            aria-describedby="try-scrubbing-help"
          />
        </label>
        <p id="try-scrubbing-help" className="text-sm text-quiet">
          The text is not stored.
        </p>
        <button type="submit" className="h-11">
          Try it
        </button>
      </form>
      <div role="status" className="stack-3">
        {tried ? (
          <>
            <Result title="As a browser’s error" text={tried.ofBrowser} given={tried.text} />
            <Result title="As an error of a server" text={tried.ofServer} given={tried.text} />
          </>
        ) : null}
      </div>
    </>
  );
}
