import 'server-only';

import { digestHeader } from '#src/server/http/flight-headers.ts';

import { recallCause } from './dev-causes.ts';
import { formatDigest } from '#report/digest.ts';
import { whenKept } from './kept-digests.ts';

const plainText = 'The server failed to answer this request.\n';

/**
 * A failure as plain text: for clients that expect no page, and for the case that the error page itself fails. Resolves
 * when the record of `digest` is kept.
 */
export async function createPlainFailure(digest: string | undefined): Promise<Response> {
  if (digest !== undefined) await whenKept(digest);
  const text = import.meta.env.DEV ? (recallCause(digest)?.stack ?? plainText) : plainText;
  const named = digest === undefined ? text : `${text.trimEnd()}\nDigest: ${formatDigest(digest)}\n`;
  return new Response(named, {
    status: 500,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      ...(digest ? { [digestHeader]: digest } : {}),
    },
  });
}
