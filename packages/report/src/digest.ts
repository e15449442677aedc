/**
 * A digest names one error. A visitor reads it out over the phone. So it is ten characters of
 * Crockford's base32 (no I, L, O, U), shown as `XXXXX-XXXXX`. It is read case-insensitively, with O as 0 and I and L as
 * 1. It has 50 random bits: with a million stored errors, a mistyped digest matches a wrong one about once in a
 * billion. Crockford's alphabet: https://www.crockford.com/base32.html
 */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const digestLength = 10;
const digestPattern = /^[0-9A-HJKMNP-TV-Z]{10}$/;
/** The longest text that is read as a digest: the address of a digest's page, on a long host. */
const longestInput = 300;

/** A new digest, ten characters without the hyphen. Works on the server and in the browser. */
export function mintDigest(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(digestLength));
  let digest = '';
  for (const byte of bytes) digest += alphabet.charAt(byte & 31);
  return digest;
}

/** Whether `value` is a digest of ours in its stored form. React and Waku put other things into `error.digest`. */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && digestPattern.test(value);
}

/** The digest of ours that an error carries; undefined when it carries none. */
export function readDigest(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  return isDigest(error.digest) ? error.digest : undefined;
}

/** `0123456789` → `01234-56789`, for people. */
export function formatDigest(digest: string): string {
  return `${digest.slice(0, 5)}-${digest.slice(5)}`;
}

/** What a person typed or pasted, in the alphabet of digests and without what stands around it. It may still be none. */
export function toPlainDigest(text: string): string {
  return text
    .toUpperCase()
    .replace(/^.*\/DIGEST\//, '')
    .replace(/^\s*DIGEST\s*:?/, '')
    .replace(/[\s\-–—._"'`“”‘’«»]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
}

/** The stored form of what a person typed or pasted; undefined when that cannot be a digest. */
export function parseDigest(text: string): string | undefined {
  if (text.length > longestInput) return undefined;
  const plain = toPlainDigest(text);
  return isDigest(plain) ? plain : undefined;
}
