import { readProperty } from './describe-thrown.ts';

/**
 * What frameworks throw to redirect, to say "not found", or to leave prerendering. None of it is a failure, so it is never
 * reported, and its digest is the framework's own message to itself: it must stay.
 */
const controlDigest =
  /^(?:NEXT_(?:REDIRECT|NOT_FOUND|HTTP_ERROR_FALLBACK|STATIC_GEN_BAILOUT|PRERENDER)|BAILOUT_TO_CLIENT_SIDE_RENDERING|DYNAMIC_SERVER_USAGE|HANGING_PROMISE_REJECTION|REACT_ROUTER_|__WAKU_)/;

/** The text that an error has as its digest; undefined when it has none. */
export function readDigestText(thrown: unknown): string | undefined {
  const digest = readProperty(thrown, 'digest');
  return (typeof digest === 'string' && digest !== '') || typeof digest === 'number' ? String(digest) : undefined;
}

const sendable = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

/** The digest as the receiver takes it: what cannot be shown and typed is left out, or it would refuse the error. */
export function toSentDigest(digest: string | undefined): string | undefined {
  return digest !== undefined && sendable.test(digest) ? digest : undefined;
}

/** React Router throws a Response. A render that nobody waits for any more is aborted. */
export function isControlFlow(thrown: unknown): boolean {
  if (typeof Response !== 'undefined' && thrown instanceof Response) return true;
  if (readProperty(thrown, 'name') === 'AbortError') return true;
  return controlDigest.test(readDigestText(thrown) ?? '');
}
