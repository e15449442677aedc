import 'server-only';

/** Where a digest is known: one app's errors or browser reports. */
export type DigestHolder = {
  readonly app: string;
  readonly digest: string;
  /** Of what a server of the app told; where none did, of what browsers claim. */
  readonly lastTime: number;
  /** A server of the app told an error under it. Otherwise anybody may have made it up. */
  readonly isTold: boolean;
};

export function isToldByAny(holders: readonly DigestHolder[]): boolean {
  return holders.some(({ isTold }) => isTold);
}

/** Among which somebody has to choose: claims are no reason to, where a server told it. */
export function listCandidates(holders: readonly DigestHolder[]): readonly DigestHolder[] {
  return isToldByAny(holders) ? holders.filter(({ isTold }) => isTold) : holders;
}
