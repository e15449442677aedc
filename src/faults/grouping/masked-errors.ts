import 'server-only';

import { isDigest } from '#report/digest.ts';
import { maskedText } from '#report/masked-text.ts';

/**
 * In production React tells a browser no more of a server's error than its digest: every such error has the same text there. A
 * report of it belongs to the fault of the server's error, and never to one of that text.
 */
const maskedMessages = [
  maskedText,
  // React DOM's, when the server's HTML could not be finished: the text in development, its number in production.
  /^The server could not finish this Suspense boundary\b/,
  /^Minified React error #419\b/,
];

export function isMaskedMessage(message: string): boolean {
  return maskedMessages.some((text) => text.test(message));
}

/** Next.js makes its digests from message and stack, in decimal: every copy of the same error has the same. */
export function namesFault(digest: string): boolean {
  return /^\d{1,10}(?:@E\d{1,6})?$/.test(digest);
}

/** Whether `flight-recorder/rsc` or this server made it, for one error. Ten digits alone may be either's, and are nearly always Next's. */
export function isMinted(digest: string): boolean {
  return isDigest(digest) && /[A-Z]/.test(digest);
}
