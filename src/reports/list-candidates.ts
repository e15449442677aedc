import type { DigestHolder } from './find-digest.ts';

export function isToldByAny(holders: readonly DigestHolder[]): boolean {
  return holders.some(({ isTold }) => isTold);
}

/** Among which somebody has to choose: claims are no reason to, where a server told it. */
export function listCandidates(holders: readonly DigestHolder[]): readonly DigestHolder[] {
  return isToldByAny(holders) ? holders.filter(({ isTold }) => isTold) : holders;
}
