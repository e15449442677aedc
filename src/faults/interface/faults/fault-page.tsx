import type { FaultPageRead } from '#src/faults/grouping/find-fault-page.ts';
import { readReleases } from '#src/faults/grouping/read-releases.ts';

import { FaultChanges } from './fault-changes.tsx';
import { FaultFeedback } from './fault-feedback.tsx';
import { FaultFlights } from './fault-flights.tsx';
import { FaultGrouping } from './fault-grouping.tsx';
import { FaultHeader } from './fault-header.tsx';
import { FaultErrors } from './fault-errors.tsx';
import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';
import { FaultSpread } from './fault-spread.tsx';
import { FaultTriage } from './fault-triage.tsx';
import { FaultActivities } from './fault-activity.tsx';
import { OldTabAdvice } from './old-tab-advice.tsx';
import { ShownError } from './shown-error.tsx';
import { TriageNotice } from './triage-notice.tsx';

type FaultPageProps = {
  readonly read: Extract<FaultPageRead, { type: 'found' }>;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

/** Those that an operator may still mean. */
const releasesOffered = 20;

/** A fault: what broke, where, since when, how often, whether it is handled, and its errors one by one. */
export async function FaultPage({ read: { fault, shown, isAskedGone }, asked, now }: FaultPageProps) {
  const releases = await readReleases(fault.app);
  const back = formatFaultPage(fault.id, asked);
  return (
    <div className="stack-5">
      <title>{`${fault.name}: ${fault.message.slice(0, 80)} · Flight Recorder`}</title>
      <TriageNotice done={asked.done} back={back} />
      <FaultHeader fault={fault} now={now} />
      <FaultTriage
        fault={fault}
        releases={releases.slice(0, releasesOffered).map(({ name }) => name)}
        back={back}
        now={now}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid min-w-0 gap-4">
          <ShownError fault={fault} shown={shown} isAskedGone={isAskedGone} asked={asked} now={now} />
        </div>
        <div className="grid min-w-0 gap-4">
          <OldTabAdvice fault={fault} />
          <FaultSpread fault={fault} />
          <FaultChanges fault={fault} now={now} />
          <FaultFeedback fault={fault} now={now} />
          <FaultFlights fault={fault} now={now} />
          <FaultActivities fault={fault} back={back} now={now} />
          <FaultGrouping fault={fault} back={back} now={now} />
        </div>
      </div>
      <FaultErrors fault={fault} shown={shown?.shown.key} asked={asked} now={now} />
    </div>
  );
}
