import { countOf, formatCount } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import { FaultList } from '#src/faults/interface/faults/fault-list.tsx';
import { Panel } from '#viewer/panel.tsx';
import { appPath, errorPath, faultsPath } from '#src/server/http/addresses.ts';
import type { HomeFaults as Listed } from '#src/faults/grouping/list-faults.ts';
import type { ErrorSummary } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';
import { DigestLink } from '#src/ui/digest-link.tsx';

type HomeFaultsProps = {
  readonly listed: Listed;
  /** Errors that belong to no fault yet. */
  readonly ungrouped: readonly Pick<ErrorSummary, 'id' | 'digest' | 'app' | 'side'>[];
  readonly app: string | undefined;
  readonly apps: readonly AppName[];
  readonly now: number;
};

/** Leads to this error. A digest of another app may stand for many, so its errors have addresses of their own. */
function ErrorLink({ error }: { error: Pick<ErrorSummary, 'id' | 'digest' | 'app' | 'side'> }) {
  const { id, digest, app, side } = error;
  if (digest !== null && (app === ownApp || side === 'browser')) return <DigestLink digest={digest} app={app} />;
  return (
    <Link
      to={errorPath(id)}
      prefetch="intent"
      className="font-mono text-[0.875rem] font-medium [overflow-wrap:anywhere] sm:whitespace-nowrap"
    >
      {digest ?? 'no digest'}
    </Link>
  );
}

/** A stack is read within a second: these have just happened. */
function JustHappened({ errors }: { errors: HomeFaultsProps['ungrouped'] }) {
  if (errors.length === 0) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 text-sm">
      <span className="text-quiet">Not read yet, so without a fault:</span>
      {errors.map((error) => (
        <ErrorLink key={error.id} error={error} />
      ))}
    </p>
  );
}

function NoFaults({ total, app }: { total: number; app: AppName | undefined }) {
  if (total > 0) {
    return (
      <EmptyState title="Nothing to look at">
        <p>
          {total === 1 ? 'The one fault that is known is' : `All ${formatCount(total)} faults are`} resolved, snoozed or
          muted. One that comes back is listed here.
        </p>
      </EmptyState>
    );
  }
  if (app && !app.isOwn) {
    return (
      <EmptyState title={`No error of ${app.name} so far`}>
        <p>
          They are listed here when the app reports them, or when a proxy sees them.{' '}
          <Link to={appPath(app.id)}>See how to set it up</Link>.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No error so far">
      <p>Every error that happens from now on, on the server or in a browser, is listed here: one line a fault.</p>
    </EmptyState>
  );
}

/** `4 new or back, 36 open, 24 of them from browsers alone`: the list of faults begins with the others. */
function describeCounts({ unseen, open, untrusted }: Listed): string {
  const first = unseen > 0 ? `${formatCount(unseen)} new or back, ` : '';
  const all = untrusted === open ? 'all' : `${formatCount(untrusted)} of them`;
  return `${first}${formatCount(open)} open${untrusted > 0 ? `, ${all} from browsers alone` : ''}`;
}

/** What somebody should look at: faults that are new or came back, then those that are open. */
export function HomeFaults({ listed, ungrouped, app, apps, now }: HomeFaultsProps) {
  const { faults, total } = listed;
  return (
    <Panel
      title="Faults"
      word="fault"
      aside={
        <span className="flex flex-wrap gap-x-4 text-sm">
          {total > 0 ? <span className="text-quiet">{describeCounts(listed)}</span> : null}
          <Link to={`${faultsPath}${formatAppQuery(app)}`} prefetch="intent">
            {total > faults.length ? `All ${countOf(total, 'fault')}` : 'All faults'}
          </Link>
        </span>
      }
    >
      <JustHappened errors={ungrouped} />
      {faults.length > 0 ? (
        <FaultList faults={faults} now={now} apps={apps} />
      ) : (
        <NoFaults total={total} app={apps.find(({ id }) => id === app)} />
      )}
    </Panel>
  );
}
