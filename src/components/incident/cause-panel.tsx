import { Panel } from '#src/components/panel.tsx';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import type { ServerErrorRecord } from '#src/runtime/errors/error-record.ts';

import { formatStack } from './format-stack.ts';
import { StackFrames } from './stack-frames.tsx';

/** The server's error: where it was thrown, what caused it, and which components were being rendered. */
export function CausePanel({ error }: { error: ServerErrorRecord }) {
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
      {error.causes.map((cause, index) => (
        <details key={index} className="stack-1.5" open>
          <summary>
            Caused by <strong className="font-semibold">{cause.name}</strong>: {cause.message}
          </summary>
          {cause.stack ? <pre>{cause.stack}</pre> : null}
        </details>
      ))}
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
