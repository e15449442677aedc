import { countOf, formatCount } from '#flight';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { BarChart } from '#src/ui/bar-chart.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Term } from '#viewer/term.tsx';
import { appPath, faultsPath } from '#src/server/http/addresses.ts';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { countVisitors } from '#src/faults/grouping/count-visitors.ts';
import { usersCounted } from '#src/faults/grouping/count-error.ts';
import { readFaultChart } from '#src/faults/grouping/read-fault-chart.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { FaultBadges } from './fault-badges.tsx';

function Count({ name, note, children }: { name: string; note?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-[0.8125rem] text-quiet">{name}</dt>
      <dd>
        {children}
        {note === undefined ? null : <span className="block text-[0.8125rem] text-quiet">{note}</span>}
      </dd>
    </div>
  );
}

function Release({ release }: { release: string }) {
  if (release === '') return null;
  return (
    <span className="block text-[0.8125rem] text-quiet">
      in <span className="code">{release}</span>
    </span>
  );
}

function describeKept(kept: number, of: number): string {
  return `${formatCount(kept)} of ${formatCount(of)} kept`;
}

type CountsProps = { readonly fault: FaultDetails; readonly visitors: number; readonly now: number };

/** The errors on servers are the fault's number; errors of browsers stand beside it, each with what is kept of it. */
function Counts({ fault, visitors, now }: CountsProps) {
  const { count, untrusted, users, kept, keptUntrusted, firstTime, lastTime, firstRelease, lastRelease } = fault;
  const big = 'text-lg font-semibold';
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:flex sm:flex-wrap">
      {count > 0 || untrusted === 0 ? (
        <Count name="On servers" note={describeKept(kept - keptUntrusted, count)}>
          <span className={big}>{formatCount(count)}</span>
        </Count>
      ) : null}
      {untrusted > 0 ? (
        <Count
          name="Errors of browsers"
          note={
            <>
              untrusted <Term word="error">errors</Term>, {describeKept(keptUntrusted, untrusted)}
            </>
          }
        >
          <span className={big}>{formatCount(untrusted)}</span>
        </Count>
      ) : null}
      {visitors > 0 ? (
        <Count name="Digest shown in" note="as browsers reported; each with what followed it">
          <span className={big}>{countOf(visitors, 'document')}</span>
        </Count>
      ) : null}
      {users > 0 ? (
        <Count name="Users">
          <span className={big}>{`${formatCount(users)}${users >= usersCounted ? ' or more' : ''}`}</span>
        </Count>
      ) : null}
      <Count name="Last received">
        <Moment time={lastTime} now={now} />
        <Release release={lastRelease} />
      </Count>
      <Count name="First received">
        <Moment time={firstTime} now={now} />
        <Release release={firstRelease} />
      </Count>
    </dl>
  );
}

async function App({ app }: { app: string }) {
  const name = (await listAppNames()).find(({ id }) => id === app)?.name;
  // An app that was deleted has no page any more.
  if (app === ownApp || name === undefined) return <span>{name ?? app}</span>;
  return <a href={appPath(app)}>{name}</a>;
}

/** What broke, where, since when and how often, and whether it is handled. */
export async function FaultHeader({ fault, now }: { fault: FaultDetails; now: number }) {
  const [chart, visitors] = await Promise.all([
    readFaultChart(fault, now),
    fault.untrusted > 0 ? countVisitors(fault) : 0,
  ]);
  return (
    <header className="stack-4">
      <div className="stack-2">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
          <Link to={faultsPath} prefetch="intent">
            Faults
          </Link>
          <App app={fault.app} />
          <FaultBadges fault={fault} />
        </p>
        <h1 className="[overflow-wrap:anywhere]">
          {fault.name}: <span className="line-clamp-4 inline font-normal">{fault.message}</span>
        </h1>
        <p className="code">{fault.culprit || 'place not known'}</p>
      </div>
      <div className="grid items-end gap-x-6 gap-y-4 lg:grid-cols-[2fr_1fr]">
        <Counts fault={fault} visitors={visitors} now={now} />
        {chart ? (
          <BarChart
            what="errors"
            bucketMs={chart.bucketMs}
            buckets={chart.buckets}
            marks={
              chart.buckets.length > 1
                ? chart.releases.map(({ name, time }) => ({ time, label: `release ${name}` }))
                : []
            }
          />
        ) : null}
      </div>
    </header>
  );
}
