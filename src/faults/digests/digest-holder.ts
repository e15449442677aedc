import 'server-only';

/** Where a digest is known: one app's errors or browser errors. */
export type DigestHolder = {
  readonly app: string;
  readonly digest: string;
  /** Of what a server of the app told; where none did, of what browsers report. */
  readonly lastTime: number;
  /** A server of the app told an error under it. Otherwise anybody may have made it up. */
  readonly isTrusted: boolean;
  /** The rows of its errors were deleted: their fault is known (find-past.ts). */
  readonly isPast: boolean;
};

export function isAnyTrusted(holders: readonly DigestHolder[]): boolean {
  return holders.some(({ isTrusted }) => isTrusted);
}

/** Among which somebody has to choose: untrusted errors are no reason to, where a server told it. */
export function listCandidates(holders: readonly DigestHolder[]): readonly DigestHolder[] {
  return isAnyTrusted(holders) ? holders.filter(({ isTrusted }) => isTrusted) : holders;
}
