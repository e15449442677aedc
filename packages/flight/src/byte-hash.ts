/** FNV-1a, begun with a hash of what came before. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, before: number): number {
  let hash = before ^ 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return mixHash(hash);
}

/** The last step of MurmurHash3: each bit of the input changes half of the output's. */
export function mixHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
