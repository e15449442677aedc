import { Moment } from '#src/ui/moment.tsx';
import type { Unkept } from '#src/faults/digests/unkept-digests.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { formatDigest } from '#report/digest.ts';

const titles = {
  logged: 'This error is in the server’s log alone',
  waiting: 'This error waits for the database',
} as const satisfies Record<Unkept['type'], string>;

function explain(unkept: Unkept): string {
  switch (unkept.type) {
    case 'logged':
      return `The database does not have it: ${unkept.reason}.`;
    case 'waiting':
      return 'The database did not answer. The error is on this server’s disk, and is written when the database is back: reload this page then.';
  }
}

/** For an error that is in the log and not in the database. The page says why, and what to look for in the log. */
export function UnkeptError({ digest, unkept, now }: { digest: string; unkept: Unkept; now: number }) {
  const shown = formatDigest(digest);
  return (
    <div className="stack-5">
      <title>{`${shown} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="flex flex-wrap items-center gap-x-3 text-quiet">
          <span>
            Digest <code className="text-ink">{shown}</code>
          </span>
          <CopyButton text={shown} what="digest" className="button-small" />
        </p>
        <h1>{titles[unkept.type]}</h1>
      </div>
      <p>
        It happened <Moment time={unkept.time} now={now} />. {explain(unkept)} The log has one line with its message and
        stack. Search the log for its digest:
      </p>
      <p className="flex flex-wrap items-center gap-x-3">
        <code>{digest}</code> <CopyButton text={digest} what="digest as the log has it" className="button-small" />
      </p>
    </div>
  );
}
