import { describeCause, type Cause } from './describe-cause.ts';
import { mintDigest, readDigest } from '#report/digest.ts';

/**
 * An error in the browser as a person is told of it. The server's errors arrive with their digest. An error of the
 * browser itself gets one here, so that a visitor can always read one out. The browser's error has the same digest.
 */
export type IdentifiedError = { readonly side: 'server' | 'browser'; readonly digest: string };

/** What a boundary's panel shows of it. In development it also shows the cause. */
export type ShownError = IdentifiedError & { readonly cause?: Cause };

const identified = new WeakMap<object, IdentifiedError>();
/**
 * A thrown string or number has no identity of its own. The identity that the boundary showed is kept until it is
 * reported.
 */
let shownPrimitive: { readonly value: unknown; readonly identity: IdentifiedError } | undefined;
let documentDigest: string | undefined;

/**
 * Remembers the digest in the server's error page before React replaces that page. When a component fails on the server
 * and then in the browser again, the visitor has one error, and its cause is in the server's log.
 */
export function adoptDocumentDigest(): void {
  documentDigest = document.querySelector('[data-flight-digest]')?.getAttribute('data-flight-digest') ?? undefined;
}

/** The page with that digest is gone, so a later error is another one. */
export function dropDocumentDigest(): void {
  documentDigest = undefined;
}

function identify(error: unknown): IdentifiedError {
  const carried = readDigest(error);
  if (carried) return { side: 'server', digest: carried };
  if (documentDigest) return { side: 'server', digest: documentDigest };
  return { side: 'browser', digest: mintDigest() };
}

function isObject(error: unknown): error is object {
  return typeof error === 'object' && error !== null;
}

/** Which side failed, and under which digest. The same error always gets the same answer. */
export function identifyError(error: unknown): IdentifiedError {
  if (!isObject(error)) {
    if (!shownPrimitive || shownPrimitive.value !== error) shownPrimitive = { value: error, identity: identify(error) };
    return shownPrimitive.identity;
  }
  const known = identified.get(error);
  if (known) return known;
  const identity = identify(error);
  identified.set(error, identity);
  return identity;
}

export function describeShown(error: unknown): ShownError {
  const identity = identifyError(error);
  return import.meta.env.DEV ? { ...identity, cause: describeCause(error) } : identity;
}

/**
 * The same for reporting. It can be taken once per error: when the same string is thrown again, that is another
 * error.
 */
export function takeIdentity(error: unknown): IdentifiedError {
  if (isObject(error)) return identifyError(error);
  const identity = shownPrimitive && shownPrimitive.value === error ? shownPrimitive.identity : identify(error);
  shownPrimitive = undefined;
  return identity;
}
