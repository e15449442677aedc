import { Facts } from '#viewer/facts.tsx';
import { LinkedPlaces } from '#src/ui/editor/linked-places.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import type { BrowserError } from '#src/faults/kept/error-details.ts';

import { BrokenStream } from './broken-stream.tsx';
import { Causes } from './cause-panel.tsx';
import { MapNote } from './map-note.tsx';
import { Mismatch } from './mismatch.tsx';
import { StackFrames } from './stack-frames.tsx';

function OneError({ error, app, now }: { error: BrowserError; app: string; now: number }) {
  return (
    <article className="stack-3 border-b border-line pb-4 last:border-b-0 last:pb-0">
      <h3 className="[overflow-wrap:anywhere]">
        {error.name}: <span className="font-normal">{error.message}</span>
      </h3>
      {error.frames.length > 0 ? <StackFrames frames={error.frames} app={app} /> : null}
      <MapNote app={app} frames={error.frames} />
      <Mismatch extra={error.said.extra} />
      <BrokenStream extra={error.said.extra} app={app} />
      <Causes error={{ ...error, app }} />
      {error.componentStack ? (
        <details className="stack-1.5">
          <summary className="text-sm">Component stack</summary>
          <pre>
            <LinkedPlaces text={error.componentStack.trim()} app={app} />
          </pre>
        </details>
      ) : null}
      <Facts
        facts={[
          { name: 'Time', value: <Moment time={error.time} now={now} /> },
          { name: 'Page', value: <span className="code">{error.path}</span> },
          { name: 'Browser', value: error.userAgent ?? 'not reported' },
          { name: 'Release', value: <span className="code">{error.release ?? 'not reported'}</span> },
          { name: 'Trace', value: <span className="code">{error.traceId ?? 'not reported'}</span> },
        ]}
      />
    </article>
  );
}

type BrowserErrorsProps = { readonly errors: readonly BrowserError[]; readonly app: string; readonly now: number };

export function BrowserErrors({ errors, app, now }: BrowserErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <Panel title={errors.length === 1 ? 'The browser’s error' : `${errors.length} browser errors`}>
      <p className="text-sm text-quiet">
        This is what a browser sent. Anyone can send such a report, so it is untrusted.
      </p>
      {errors.map((error) => (
        <OneError key={error.eventId} error={error} app={app} now={now} />
      ))}
    </Panel>
  );
}

/**
 * Many visitors have the same digest. Where one of both sides names no trace, an error may be of any of them, and is no part of this one's
 * story.
 */
export function MaybeErrors({ errors, app, now }: BrowserErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <Panel title="Same digest, maybe another visitor">
      <p className="text-sm text-quiet">
        {errors.length === 1 ? 'A browser reported an error' : `Browsers reported ${errors.length} errors`} with the
        same digest at about that time. No trace that both sides have joins {errors.length === 1 ? 'it' : 'them'} to
        this one: {errors.length === 1 ? 'it' : 'each'} may be another visitor’s. The timeline leaves{' '}
        {errors.length === 1 ? 'it' : 'them'} out.
      </p>
      <details className="stack-3">
        <summary>{errors.length === 1 ? 'The error' : 'The errors'}</summary>
        {errors.map((error) => (
          <OneError key={error.eventId} error={error} app={app} now={now} />
        ))}
      </details>
    </Panel>
  );
}
