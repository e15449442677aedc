import { formatDigest, isDigest } from '#report/digest.ts';
import { ownApp } from '#src/store/own-app.ts';

/** A digest as its visitor saw it: with a hyphen where our own error page showed it, as it is everywhere else. */
export function showDigest(digest: string, app: string): string {
  return app === ownApp && isDigest(digest) ? formatDigest(digest) : digest;
}
