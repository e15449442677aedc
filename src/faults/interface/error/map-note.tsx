import { appPath } from '#src/server/http/addresses.ts';
import { areMapsKept } from '#src/faults/source-maps/keep-app-maps.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

/** A frame of the app's own code that says neither its source nor the lines around it: a built file whose map is not known. */
function hasNoMap({ inApp, source, context }: SourceFrame): boolean {
  return inApp && source === undefined && context === undefined;
}

/** Says which built file has no map, and how it gets one. Nothing where every frame has its source. */
export function MapNote({ app, frames }: { app: string; frames: readonly SourceFrame[] }) {
  const frame = frames.find(hasNoMap);
  if (app === ownApp || !frame) return null;
  if (areMapsKept(app)) {
    // Of what a bundler and libraries add, a build's maps say nothing.
    if (frames.some(({ source }) => source !== undefined)) return null;
    return (
      <p className="text-sm text-quiet">
        The source maps of {app}’s build are kept when it starts. None that is kept says what this place of{' '}
        <span className="code">{frame.file}</span> was made of.
      </p>
    );
  }
  return (
    <p className="text-sm text-quiet">
      No source map is known for <span className="code">{frame.file}</span>. Upload those of the build with{' '}
      <code>sentry-cli sourcemaps upload</code> (<a href={appPath(app)}>how {app} does it</a>): then this page shows the
      source, also of errors that came before.
    </p>
  );
}
