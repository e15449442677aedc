import { formatCount } from '#flight';
import { Facts } from '#viewer/facts.tsx';
import { FaultBadges } from '#src/faults/interface/faults/fault-badges.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import { faultPath, faultsPath } from '#src/server/http/addresses.ts';
import { countErrors } from '#src/faults/grouping/counted.ts';
import { readFault } from '#src/faults/grouping/read-faults.ts';
import type { PastDigest } from '#src/faults/digests/find-past.ts';
import type { BrowserError } from '#src/faults/kept/error-details.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { BrowserErrors } from './browser-errors.tsx';

async function PastFault({ past, now }: { past: PastDigest; now: number }) {
  const fault = await readFault(past.fault);
  if (!fault) return null;
  const { count, firstTime, lastTime, route, release } = past;
  const total = countErrors(fault);
  return (
    <Panel title="Its fault">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
        <Link to={faultPath(fault.id)} prefetch="intent">
          {fault.name}: {fault.message}
        </Link>
        <FaultBadges fault={fault} />
      </p>
      <Facts
        facts={[
          ...(count === 1
            ? [{ name: 'Time', value: <Moment time={lastTime} now={now} /> }]
            : [
                { name: 'With this digest', value: `${formatCount(count)} errors, all deleted` },
                { name: 'First', value: <Moment time={firstTime} now={now} /> },
                { name: 'Latest', value: <Moment time={lastTime} now={now} /> },
              ]),
          { name: 'Route', value: <span className="code">{route || 'not known'}</span> },
          ...(release === '' ? [] : [{ name: 'Release', value: <span className="code">{release}</span> }]),
          {
            name: 'In all',
            value: `${formatCount(total)} ${total === 1 ? 'error' : 'errors'} of this fault`,
          },
        ]}
      />
    </Panel>
  );
}

type DeletedErrorProps = {
  readonly digest: string;
  readonly app: string;
  readonly past: readonly PastDigest[];
  /** What browsers say of it, which is kept. */
  readonly errors: readonly BrowserError[];
  readonly now: number;
};

/** An error whose row was deleted: what is left of it leads to its fault. */
export function DeletedError({ digest, app, past, errors, now }: DeletedErrorProps) {
  const shown = showDigest(digest, app);
  return (
    <div className="stack-5">
      <title>{`${shown} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="flex flex-wrap items-center gap-x-3 text-quiet">
          <Link to={faultsPath} prefetch="intent">
            Faults
          </Link>
          {app === ownApp ? null : <span>{app}</span>}
          <span>
            Digest <code className="text-ink [overflow-wrap:anywhere]">{shown}</code>
          </span>
          <CopyButton text={shown} what="digest" className="button-small" />
        </p>
        <h1>This error was deleted; its fault is here</h1>
      </div>
      <p>
        There was no more room for it, or it was too old: its stack and its request are gone. The fault has the same
        cause, with the errors that are kept.
      </p>
      {past.map((one) => (
        <PastFault key={one.fault} past={one} now={now} />
      ))}
      <BrowserErrors errors={errors} app={app} now={now} />
    </div>
  );
}
