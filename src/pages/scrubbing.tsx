import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { Panel } from '#viewer/panel.tsx';
import { OwnKeys } from '#src/faults/interface/scrubbing/own-keys.tsx';
import { RescrubForm } from '#src/faults/interface/scrubbing/rescrub-form.tsx';
import { RuleList } from '#src/faults/interface/scrubbing/rule-list.tsx';
import { TryScrubbing } from '#src/faults/interface/scrubbing/try-scrubbing.tsx';
import { shownKeys } from '#src/faults/scrubbing/scrub-keys.ts';
import { currentOutcome } from '#src/faults/scrubbing/form-outcome.ts';
import { listOwnKeys } from '#src/faults/scrubbing/own-keys.ts';
import { readRescrub } from '#src/faults/scrubbing/rescrub.ts';

export default async function ScrubbingPage() {
  const names = await listOwnKeys();
  const outcome = currentOutcome();
  return (
    <div className="stack-5">
      <title>Scrubbing · Flight Recorder</title>
      <KnownApps />
      <div className="stack-2">
        <h1>Scrubbing</h1>
        <p>
          What is removed from errors and feedback before they are stored. Headers, cookies and bodies of requests are
          never stored. A secret in plain words is not found: this is a second line, not the first.
        </p>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="grid gap-4">
          <Panel title="Try it">
            <TryScrubbing outcome={outcome} />
          </Panel>
          <Panel title="What is stored already">
            <RescrubForm state={readRescrub()} now={Date.now()} />
          </Panel>
        </div>
        <div className="grid gap-4">
          <Panel title="Your own keys">
            <OwnKeys names={names} outcome={outcome} />
          </Panel>
          <Panel title="Keys that are always removed">
            <p>The value of a key whose name contains one of these, in tags, contexts, extra data and breadcrumbs:</p>
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {shownKeys.map((key) => (
                <li key={key} className="code">
                  {key}
                </li>
              ))}
            </ul>
          </Panel>
        </div>
      </div>
      <Panel title="Rules for texts">
        <RuleList />
        <p className="text-sm text-quiet">
          In texts of servers the addresses and paths of machines stay, because they are often the cause:{' '}
          <span className="code">connect ECONNREFUSED 10.0.0.7:5432</span>
        </p>
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
