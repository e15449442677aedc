import { Panel } from '#src/components/panel.tsx';
import type { Cause, StoredError } from '#src/reports/incident.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { formatStack } from './format-stack.ts';
import { MapNote } from './map-note.tsx';
import { StackFrames } from './stack-frames.tsx';

/** Its frames where its stack has any; its text, as it was thrown, otherwise. */
function CausedBy({ cause: { name, message, frames, stack } }: { cause: Cause }) {
  return (
    <details className="stack-1.5" open>
      <summary>
        Caused by <strong className="font-semibold">{name}</strong>: {message}
      </summary>
      {frames.length > 0 ? <StackFrames frames={frames} /> : stack ? <pre>{stack}</pre> : null}
    </details>
  );
}

/** `error.cause` and what caused that, outermost first. */
export function Causes({ causes }: { causes: readonly Cause[] }) {
  return causes.map((cause, index) => <CausedBy key={index} cause={cause} />);
}

/** The server's error: where it was thrown, what caused it, and which components were being rendered. */
export function CausePanel({ error }: { error: StoredError }) {
  return (
    <Panel
      title="Where it was thrown"
      aside={<CopyButton text={formatStack(error)} what="stack" className="button-small" />}
    >
      {error.frames.length > 0 ? (
        <StackFrames frames={error.frames} />
      ) : (
        <p className="text-quiet">There is no stack: what was thrown is not an Error.</p>
      )}
      {error.app !== ownApp && error.frames.length > 0 && error.frames.every(({ inApp }) => !inApp) ? (
        <p className="text-sm text-quiet">
          No frame leads to a source: there was no source map beside the built files. Next.js 16 writes them; Next.js 15
          does with <code>experimental.serverSourceMaps</code>.
        </p>
      ) : null}
      <MapNote app={error.app} frames={error.frames} />
      <Causes causes={error.causes} />
      {error.componentStack ? (
        <details className="stack-1.5" open>
          <summary className="text-sm">Component stack</summary>
          <pre>{error.componentStack.trim()}</pre>
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
