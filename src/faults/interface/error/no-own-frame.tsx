import type { StoredError } from '#src/faults/kept/error-details.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';

import { readRefusedValue } from './read-refused-value.ts';

/** React's, Node's or a dependency's, so no map of the app leads further. */
function isOfOthers({ source, file }: SourceFrame): boolean {
  return /(?:^|[\\/])node_modules[\\/]|^node:/.test(source ?? file);
}

type Thrown = Pick<StoredError, 'app' | 'framework' | 'frames' | 'message'>;

/** Shows why no frame of a stack is the app's own. */
export function NoOwnFrame({ error: { app, framework, frames, message } }: { error: Thrown }) {
  if (frames.length === 0 || frames.some(({ inApp }) => inApp)) return null;
  const refused = readRefusedValue(message);
  if (refused) {
    return (
      <div className="stack-1.5 text-sm text-quiet">
        <p>
          The stack is React’s alone: it refused a value while it wrote the answer, after the components had run. It
          does not say which component passed it{refused.prop === undefined ? '' : ', but as what: '}
          {refused.prop === undefined ? null : <code>{refused.prop}</code>}.
        </p>
        <pre>{refused.shown}</pre>
      </div>
    );
  }
  if (app === ownApp) return null;
  if (frames.every(isOfOthers)) {
    return (
      <p className="text-sm text-quiet">
        No frame is the app’s own: the error was thrown by React, Node or a dependency, which the app’s code did not
        call in this stack.
      </p>
    );
  }
  if (frames.every((frame) => frame.source !== undefined || isOfOthers(frame))) {
    return (
      <p className="text-sm text-quiet">
        No frame is the app’s own: all of them are taken for libraries’, by whoever sent the error or by their folders.
      </p>
    );
  }
  return (
    <p className="text-sm text-quiet">
      No frame leads to a source: no source map was read. One that was changed after its app started is of another
      build.
      {framework === 'next' ? (
        <>
          {' '}
          Next.js 16 writes maps beside the built files; Next.js 15 does with <code>experimental.serverSourceMaps</code>
          .
        </>
      ) : null}
    </p>
  );
}
