import 'server-only';

import { recallCause } from './dev-causes.ts';
import { digestHeader } from './digest.ts';

const plainText = 'The server failed to answer this request.\n';

/** A failure in words, for clients that expect no page, and for when the page for failures is what failed. */
export function createPlainFailure(digest: string | undefined): Response {
  const text = import.meta.env.DEV ? (recallCause(digest)?.stack ?? plainText) : plainText;
  return new Response(text, {
    status: 500,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      ...(digest ? { [digestHeader]: digest } : {}),
    },
  });
}
