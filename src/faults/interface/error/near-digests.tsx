import { DigestLink } from '#src/ui/digest-link.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { NearDigest } from '#src/faults/digests/find-digest.ts';
import { PageOfError } from './page-of-error.tsx';
import { ownApp } from '#src/store/own-app.ts';

/** Digests that are one slip away from what was typed, with what tells them apart: when, and on which page. */
export function NearDigests({ digests, now }: { digests: readonly NearDigest[]; now: number }) {
  if (digests.length === 0) return null;
  return (
    <Panel title="Nearly the same, from the last seven days">
      <ul className="stack-1 list-none p-0">
        {digests.map(({ digest, app, time, path }) => (
          <li key={`${app} ${digest}`} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
            <DigestLink digest={digest} app={app} />
            <Moment time={time} now={now} />
            <span className="code min-w-0 text-quiet">
              <PageOfError app={app} error={{ digest, time, path }} />
            </span>
            {app === ownApp ? null : <span className="text-quiet">{app}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
