import { Panel } from '#src/components/panel.tsx';
import type { Incident } from '#src/reports/incident.ts';
import { formatDigest } from '#src/runtime/errors/digest.ts';
import { describeFailure, failureTitle } from '#src/runtime/errors/failure-text.ts';

/** How the error reached the visitor. The request's kind decides it. */
function describeReach({ server }: Incident): string {
  switch (server?.kind) {
    case undefined:
      return 'In place of the page, when the browser failed to show it:';
    case 'document':
      return 'In place of the page, or of the part that failed when the rest was on its way:';
    case 'navigation':
    case 'slice':
      return 'In place of the page that they opened, or of the part of it that failed:';
    case 'prefetch':
      return 'Nothing, unless they then opened the page, which the browser had only prefetched:';
    case 'action':
      return 'After sending a form or pressing a button:';
    case 'background':
    case 'unknown':
    case 'other':
      return 'Nothing, unless the answer to this request was a page:';
  }
}

/** The error panel as the visitor saw it, small and without its controls. */
export function VisitorView({ incident }: { incident: Incident }) {
  const side = incident.server ? 'server' : 'browser';
  return (
    <Panel title="What the visitor saw">
      <p className="text-sm text-quiet">{describeReach(incident)}</p>
      <div className="stack-1.5 rounded-md border border-line border-t-3 border-t-accent bg-paper px-4 py-3 text-sm">
        <p className="font-semibold">{failureTitle}</p>
        <p>{describeFailure(side, true)}</p>
        <p>
          <span className="text-quiet">Digest</span> <code>{formatDigest(incident.digest ?? '')}</code>
        </p>
      </div>
    </Panel>
  );
}
