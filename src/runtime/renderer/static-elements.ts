import 'server-only';

import { deserializeRsc as decode, serializeRsc } from 'waku/server';

/**
 * Stands in for the codec of Waku's element cache (see vite.ts). A page's static parts (root, layouts, the route's own
 * element) are Flight bytes in the build's metadata, which Waku decodes again for every request. React elements are
 * immutable, so one decoding is enough. The bytes of a part are one object for the life of the process, so that object is
 * the key. An app has few parts, and their bytes are in memory anyway.
 */
export { serializeRsc };

const decoded = new WeakMap<Uint8Array, Promise<unknown>>();

/** Rows `R`, `r`, `X`, `x` begin a stream or an iterable, and `"$i` refers to an iterator: these can be read once. */
const readOncePattern = /(?:^|\n)[0-9a-f]+:[RrXx]|"\$i/;

export function deserializeRsc(bytes: Uint8Array): Promise<unknown> {
  const known = decoded.get(bytes);
  if (known) return known;
  const element = decode(bytes);
  if (!readOncePattern.test(Buffer.from(bytes).toString('latin1'))) decoded.set(bytes, element);
  return element;
}
