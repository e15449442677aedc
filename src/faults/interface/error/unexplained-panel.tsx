import { Panel } from '#viewer/panel.tsx';
import type { StoredError } from '#src/faults/kept/error-details.ts';

const reporter = { next: 'flight-recorder/next', others: 'flight-recorder/rsc' } as const;

/** Says what would tell the error of an answer that failed, and of which the app told nothing. */
export function UnexplainedPanel({
  error: { framework, digest },
}: {
  error: Pick<StoredError, 'framework' | 'digest'>;
}) {
  return (
    <Panel title="No error was reported for it">
      <p>
        The proxy saw this answer leave the app. Within some seconds, no error was told or read that has its digest, its
        trace, or its place and time.
      </p>
      <p className="text-quiet">
        An app tells its errors by <code>{framework === 'next' ? reporter.next : reporter.others}</code> in its server,
        by an SDK of Sentry, or by its output where <code>flight-recorder run</code> starts it. An answer of 500 that
        the app’s code returns itself, without an error, has no other cause than that code. What a route handler throws
        and is no Error is printed as plain text, and so is, by Next.js 15, an Error whose stack names no file, as of a
        body that is no JSON: look for it in the app’s own log.
        {digest === null ? null : ' Its digest stands in the answer, and may stand in the app’s own log.'}
      </p>
    </Panel>
  );
}
