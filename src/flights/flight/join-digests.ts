/** Stands for an error without a digest, where none of an answer has one: the answer failed. No digest is written so. */
const unnamed = '%';

/**
 * Several digests in one column. Our own are ten letters and digits. Those of other frameworks are any short text, and may hold the
 * character that stands between two. An empty one is that of an error without a digest; the column is empty where there is no error.
 */
export function joinDigests(digests: readonly string[]): string {
  return digests
    .map((digest) => (digest === '' ? unnamed : digest.replaceAll('%', '%25').replaceAll(',', '%2C')))
    .join(',');
}

/** Without those of errors that have none. */
export function splitDigests(column: string): readonly string[] {
  if (column === '') return [];
  return column
    .split(',')
    .filter((digest) => digest !== unnamed)
    .map((digest) => digest.replaceAll('%2C', ',').replaceAll('%25', '%'));
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}$/u;

/** Whether a digest of another framework can be kept and shown: letters, digits, signs and spaces, at most 64 of them. */
export function isDigest(text: string): boolean {
  return printable.test(text);
}
