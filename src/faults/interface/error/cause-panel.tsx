import { Panel } from '#viewer/panel.tsx';
import { instancesName, oldTabName } from '#src/faults/builds/old-tab.ts';
import type { Cause, StoredError } from '#src/faults/kept/error-details.ts';
import { LinkedPlaces } from '#src/ui/editor/linked-places.tsx';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';

import { formatStack } from './format-stack.ts';
import { MapNote } from './map-note.tsx';
import { NoOwnFrame } from './no-own-frame.tsx';
import { StackFrames } from './stack-frames.tsx';
import { UnexplainedPanel } from './unexplained-panel.tsx';

/** Shows the cause's frames where its stack has any, else its text as it was thrown. */
function CausedBy({ cause, label, app }: { cause: Cause; label: string; app: string }) {
  const { name, message, frames, stack } = cause;
  return (
    <details className="stack-1.5" open>
      <summary>
        {label} <strong className="font-semibold">{name}</strong>: {message}
      </summary>
      {frames.length > 0 ? <StackFrames frames={frames} app={app} /> : stack ? <pre>{stack}</pre> : null}
    </details>
  );
}

/** `error.cause` and what caused that, outermost first. An AggregateError has the errors behind it that it consists of. */
export function Causes({ error: { name, causes, app } }: { error: Pick<StoredError, 'name' | 'causes' | 'app'> }) {
  const label = name === 'AggregateError' ? 'Cause, or one of its errors:' : 'Caused by';
  return causes.map((cause, index) => <CausedBy key={index} cause={cause} label={label} app={app} />);
}

function isOfTab({ name }: StoredError): boolean {
  return name === oldTabName || name === instancesName;
}

/** The server's error: where it was thrown, what caused it, and which components were being rendered. */
export function CausePanel({ error }: { error: StoredError }) {
  if (error.phase === 'answer') return <UnexplainedPanel error={error} />;
  return (
    <Panel
      title="Where it was thrown"
      aside={<CopyButton text={formatStack(error)} what="stack" className="button-small" />}
    >
      {error.frames.length > 0 ? (
        <StackFrames frames={error.frames} app={error.app} />
      ) : (
        <p className="text-quiet">
          {isOfTab(error)
            ? 'Nothing was thrown: an answer to a tab shows it.'
            : 'No stack came with it: what was thrown may not be an Error.'}
        </p>
      )}
      <NoOwnFrame error={error} />
      <MapNote app={error.app} frames={error.frames} />
      <Causes error={error} />
      {error.componentStack ? (
        <details className="stack-1.5" open>
          <summary className="text-sm">Component stack</summary>
          <pre>
            <LinkedPlaces text={error.componentStack.trim()} app={error.app} />
          </pre>
        </details>
      ) : null}
      {error.stack ? (
        <details className="stack-1.5">
          <summary className="text-sm text-quiet">Stack as it was thrown, before source maps</summary>
          <pre>{error.stack}</pre>
        </details>
      ) : null}
    </Panel>
  );
}
