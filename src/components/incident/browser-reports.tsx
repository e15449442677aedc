import { Facts } from '#src/components/facts.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { BrowserReport } from '#src/reports/incident.ts';

import { Causes } from './cause-panel.tsx';
import { MapNote } from './map-note.tsx';
import { StackFrames } from './stack-frames.tsx';

function Report({ report, app, now }: { report: BrowserReport; app: string; now: number }) {
  return (
    <article className="stack-3 border-b border-line pb-4 last:border-b-0 last:pb-0">
      <h3 className="[overflow-wrap:anywhere]">
        {report.name}: <span className="font-normal">{report.message}</span>
      </h3>
      {report.frames.length > 0 ? <StackFrames frames={report.frames} /> : null}
      <MapNote app={app} frames={report.frames} />
      <Causes causes={report.causes} />
      {report.componentStack ? (
        <details className="stack-1.5">
          <summary className="text-sm">Component stack</summary>
          <pre>{report.componentStack.trim()}</pre>
        </details>
      ) : null}
      <Facts
        facts={[
          { name: 'Time', value: <Moment time={report.time} now={now} /> },
          { name: 'Page', value: <span className="code">{report.path}</span> },
          { name: 'Browser', value: report.userAgent ?? 'not told' },
          { name: 'Release', value: <span className="code">{report.release ?? 'not told'}</span> },
          { name: 'Trace', value: <span className="code">{report.traceId ?? 'not told'}</span> },
        ]}
      />
    </article>
  );
}

type BrowserReportsProps = { readonly reports: readonly BrowserReport[]; readonly app: string; readonly now: number };

export function BrowserReports({ reports, app, now }: BrowserReportsProps) {
  if (reports.length === 0) return null;
  return (
    <Panel title={reports.length === 1 ? 'The browser’s report' : `${reports.length} browser reports`}>
      <p className="text-sm text-quiet">
        This is what a browser sent. Anyone can send such a report, so it is a claim, not a record.
      </p>
      {reports.map((report) => (
        <Report key={report.eventId} report={report} app={app} now={now} />
      ))}
    </Panel>
  );
}
