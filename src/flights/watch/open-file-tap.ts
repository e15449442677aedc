import type { Tap } from '#src/proxy/watch.ts';

const gone = 404;

/**
 * A file of the app's build: most requests of a page. Nothing is kept of one that is there.
 * @param open opens what records it
 */
export function openFileTap(open: () => Tap | undefined): Tap {
  let tap: Tap | undefined;
  return {
    response(status, headers) {
      if (status !== gone) return false;
      tap = open();
      return tap?.response(status, headers) ?? false;
    },
    body: (chunk) => tap?.body(chunk),
    end: (outcome) => tap?.end(outcome),
  };
}
