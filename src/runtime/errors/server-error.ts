import { digestHeader } from '#src/server/http/flight-headers.ts';

import { isDigest } from '#report/digest.ts';

/** An error of the server as the browser knows it: only its digest. Boundaries show it as server-side. */
export function createServerError(name: string, message: string, digest: string): Error & { readonly digest: string } {
  const error = new Error(message);
  error.name = name;
  return Object.assign(error, { digest });
}

/**
 * Passes a response on, unless it is a failure that carries a digest.
 * @throws the server's error. Otherwise Waku would make an error of the response's text, and the digest would be lost
 */
export async function throwNamedFailure(response: Response): Promise<Response> {
  const digest = response.ok ? null : response.headers.get(digestHeader);
  if (!isDigest(digest)) return response;
  const message = 'The server failed to render this page. Its log has the cause.';
  // In development the answer contains the cause as well.
  if (import.meta.env.DEV) throw createServerError('ServerError', `${message}\n${await response.text()}`, digest);
  await response.body?.cancel();
  throw createServerError('ServerError', message, digest);
}
