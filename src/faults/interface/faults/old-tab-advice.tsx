import { countOf } from '#flight';
import { countLost } from '#src/faults/builds/count-lost.ts';
import { adviseOldTab, instancesName, oldTabName } from '#src/faults/builds/old-tab.ts';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import { appBuildsPath } from '#src/server/http/addresses.ts';
import { Panel } from '#viewer/panel.tsx';

/** Of a fault that is about tabs of an earlier build: how many were lost, and what can be done. */
export async function OldTabAdvice({ fault }: { fault: FaultDetails }) {
  if (fault.name !== oldTabName && fault.name !== instancesName) return null;
  const { lost, framework } = await countLost(fault.id);
  return (
    <Panel title="What to do">
      <p>
        {countOf(fault.users, 'visit')}, {countOf(lost, 'lost submission')} among the errors that are kept.{' '}
        <a href={appBuildsPath(fault.app)}>The builds of the app</a>
      </p>
      <ul className="stack-2">
        {adviseOldTab(framework, fault.name).map((advice) => (
          <li key={advice}>{advice}</li>
        ))}
      </ul>
    </Panel>
  );
}
