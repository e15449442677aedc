import { Moment } from '#src/ui/moment.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath } from '#src/server/http/addresses.ts';
import type { NamedHolder } from '#src/faults/digests/name-holders.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** A digest of Next.js is made from message and stack: two apps with the same code have the same. */
export function ChooseApp({ holders, now }: { holders: readonly NamedHolder[]; now: number }) {
  return (
    <div className="stack-5">
      <title>Which app? · Flight Recorder</title>
      <h1>Which app showed this digest?</h1>
      <p>Several apps know it. The latest error of each:</p>
      <ul className="stack-3">
        {holders.map(({ app, digest, lastTime, isTrusted, latest }) => (
          <li key={app} className="stack-1">
            <div>
              <Link to={digestPath(showDigest(digest, app), app)}>{app}</Link>, last{' '}
              <Moment time={lastTime} now={now} />
              {isTrusted ? null : ', untrusted: only browsers reported it'}
            </div>
            {latest ? (
              <div>
                <strong>{latest.name}</strong>: {latest.message} <span className="code text-quiet">{latest.path}</span>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  );
}
