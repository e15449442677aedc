import 'server-only';

import { hash, randomBytes } from 'node:crypto';

/**
 * 256 random bits, for a cookie or a login link: too many to guess, so a plain hash of them may stand in the database
 * (a slow one is for what people choose themselves), and whoever reads the database cannot sign in with it.
 */
const secretBytes = 32;
const secretPattern = /^[\w-]{43}$/;

export function mintSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** True for what `mintSecret` could have made; everything else is refused before it is hashed or looked up. */
export function isSecret(text: string): boolean {
  return secretPattern.test(text);
}

/** The name that a secret has in the database: SHA-256, hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}
