import { CodeFrame } from '#src/ui/code-frame.tsx';
import { EditorLink } from '#src/ui/editor/editor-link.tsx';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

import { describeForeign, findTellingFrame, formatLocation, groupFrames } from './format-stack.ts';

/** @param app whose stack it is: another app's sources are elsewhere, whatever they are called */
function FrameTitle({ frame, app }: { frame: SourceFrame; app: string }) {
  const { line, column } = frame;
  return (
    <span className="code">
      <span className={frame.inApp ? 'font-semibold' : ''}>{frame.fn || 'no name'}</span>{' '}
      <span className="text-quiet">
        <EditorLink file={app === ownApp ? frame.source : undefined} at={{ line, column }}>
          {formatLocation(frame)}
        </EditorLink>
      </span>
    </span>
  );
}

function OwnFrame({ frame, app, isOpen }: { frame: SourceFrame; app: string; isOpen: boolean }) {
  if (!frame.context) return <FrameTitle frame={frame} app={app} />;
  return (
    <details open={isOpen} className="stack-1.5">
      <summary>
        <FrameTitle frame={frame} app={app} />
      </summary>
      <CodeFrame
        firstLine={frame.context.firstLine}
        lines={frame.context.lines}
        litLine={frame.line}
        label={`Source of ${formatLocation(frame)}`}
      />
    </details>
  );
}

/**
 * A stack, innermost first. The project's own frames have their source, and the most useful one is open. Others are
 * folded.
 */
export function StackFrames({ frames, app }: { frames: readonly SourceFrame[]; app: string }) {
  const telling = findTellingFrame(frames);
  return (
    <ol className="stack-2.5 list-none">
      {groupFrames(frames).map((run, index) => (
        <li key={index}>
          {run.type === 'own' ? (
            <OwnFrame frame={run.frame} app={app} isOpen={run.frame === telling} />
          ) : (
            <details>
              <summary className="text-sm text-quiet">{describeForeign(run.frames)}</summary>
              <ol className="stack-0.5 list-none pt-1.5 pl-5">
                {run.frames.map((frame, position) => (
                  <li key={position}>
                    <FrameTitle frame={frame} app={app} />
                  </li>
                ))}
              </ol>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
