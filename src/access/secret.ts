import 'server-only';

import { hash, randomBytes } from 'node:crypto';

/**
 * 256 random bits, for a cookie or a login link. They are too many to guess, so the database may hold a plain hash of
 * them. (A slow hash is for what people choose themselves.) A person who reads the database cannot sign in with the
 * hash.
 */
const secretBytes = 32;
const secretPattern = /^[\w-]{43}$/;

export function mintSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Whether `mintSecret` could have made `text`. Any other text is refused before it is hashed or looked up. */
export function isSecret(text: string): boolean {
  return secretPattern.test(text);
}

/** The name of a secret in the database: SHA-256, hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}
