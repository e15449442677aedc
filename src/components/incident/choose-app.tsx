import { Moment } from '#src/components/moment.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath } from '#src/http/addresses.ts';
import type { DigestHolder } from '#src/reports/digest-holder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** A digest of Next.js is made from message and stack: two apps with the same code have the same. */
export function ChooseApp({ holders, now }: { holders: readonly DigestHolder[]; now: number }) {
  return (
    <div className="stack-5">
      <title>Which app? · Flight Recorder</title>
      <h1>Which app showed this digest?</h1>
      <p>Several apps know it.</p>
      <ul className="stack-1">
        {holders.map(({ app, digest, lastTime }) => (
          <li key={app}>
            <Link to={digestPath(showDigest(digest, app), app)}>{app}</Link>, last <Moment time={lastTime} now={now} />
          </li>
        ))}
      </ul>
    </div>
  );
}
