import { errorCodes } from '#src/server/http/error-codes.ts';

import { renderPlainPage } from '#src/server/http/plain-page.ts';

/** What a person sees in place of a page of the app. It has nothing of the upstream's own words: they may name its host. */
export function unreachablePage(code: 'upstream-unreachable' | 'upstream-broke'): string {
  return renderPlainPage({
    title: 'No answer from the app',
    content: `<p>${errorCodes[code].message}</p>\n<p><a href="">Try again</a></p>`,
  });
}
