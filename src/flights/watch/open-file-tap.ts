import type { Tap } from '#src/proxy/watch.ts';

import { isPageType } from './is-worth-watching.ts';

const gone = 404;

type Open = () => Tap | undefined;

/** @param flat name, value, name, value */
function readContentType(flat: readonly string[]): string | undefined {
  const at = flat.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : flat[at + 1];
}

/**
 * What is named like a file: most requests of a page. Nothing is kept of a file that is there.
 * @param openFile opens what records that a file of the app's build is gone
 * @param openPage opens what records a page that is named like a file
 */
export function openFileTap({ openFile, openPage }: { openFile?: Open | undefined; openPage?: Open | undefined }): Tap {
  let tap: Tap | undefined;
  return {
    response(status, headers) {
      if (status === gone) tap = openFile?.();
      else if (isPageType(readContentType(headers))) tap = openPage?.();
      return tap?.response(status, headers) ?? false;
    },
    body: (chunk) => tap?.body(chunk),
    end: (outcome) => tap?.end(outcome),
  };
}
