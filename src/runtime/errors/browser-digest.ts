import { mintDigest, readDigest } from './digest.ts';

/**
 * An error in the browser as a person is told of it. The server's errors arrive with their digest. An error of the
 * browser's own gets one here, so that a visitor always has something to read out; the browser's report carries it too.
 */
export type IdentifiedError = { readonly side: 'server' | 'browser'; readonly digest: string };

const identified = new WeakMap<object, IdentifiedError>();
/** Thrown strings and numbers have no identity; the same value thrown again counts as the same error. */
let lastPrimitive: { readonly value: unknown; readonly identity: IdentifiedError } | undefined;
let documentDigest: string | undefined;

/**
 * Remembers the digest in the server's error page before React replaces that page. A component that fails on the server
 * and then in the browser again is one fault to the visitor, and its cause is in the server's log.
 */
export function adoptDocumentDigest(): void {
  documentDigest = document.querySelector('[data-flight-digest]')?.getAttribute('data-flight-digest') ?? undefined;
}

/** The page that the digest belongs to is gone: a later error is not that one. */
export function dropDocumentDigest(): void {
  documentDigest = undefined;
}

function identify(error: unknown): IdentifiedError {
  const carried = readDigest(error);
  if (carried) return { side: 'server', digest: carried };
  if (documentDigest) return { side: 'server', digest: documentDigest };
  return { side: 'browser', digest: mintDigest() };
}

/** Which side failed and under which digest; the same answer each time for the same error. */
export function identifyError(error: unknown): IdentifiedError {
  if (typeof error !== 'object' || error === null) {
    if (!lastPrimitive || lastPrimitive.value !== error) lastPrimitive = { value: error, identity: identify(error) };
    return lastPrimitive.identity;
  }
  const known = identified.get(error);
  if (known) return known;
  const identity = identify(error);
  identified.set(error, identity);
  return identity;
}
