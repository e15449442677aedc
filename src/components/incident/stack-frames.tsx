import { CodeFrame } from '#src/components/code-frame.tsx';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';

import { describeForeign, findTellingFrame, formatLocation, groupFrames } from './format-stack.ts';

function FrameTitle({ frame }: { frame: SourceFrame }) {
  return (
    <span className="code">
      <span className={frame.inApp ? 'font-semibold' : ''}>{frame.fn || 'top level'}</span>{' '}
      <span className="text-quiet">{formatLocation(frame)}</span>
    </span>
  );
}

function OwnFrame({ frame, isOpen }: { frame: SourceFrame; isOpen: boolean }) {
  if (!frame.context) return <FrameTitle frame={frame} />;
  return (
    <details open={isOpen} className="stack-1.5">
      <summary>
        <FrameTitle frame={frame} />
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
export function StackFrames({ frames }: { frames: readonly SourceFrame[] }) {
  const telling = findTellingFrame(frames);
  return (
    <ol className="stack-2.5 list-none">
      {groupFrames(frames).map((run, index) => (
        <li key={index}>
          {run.type === 'own' ? (
            <OwnFrame frame={run.frame} isOpen={run.frame === telling} />
          ) : (
            <details>
              <summary className="text-sm text-quiet">{describeForeign(run.frames)}</summary>
              <ol className="stack-0.5 list-none pt-1.5 pl-5">
                {run.frames.map((frame, position) => (
                  <li key={position}>
                    <FrameTitle frame={frame} />
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
