/**
 * The address of a page that is a file: it has no path of its own to change, so what is shown stands in its query and its hash. Links and
 * the code of /decode are told the same addresses as on a server; their path is left out here.
 */
const moved = 'flight-recorder:moved';

/** What of an address of the server means something in a file. */
export function toOwnAddress(to: string): string {
  const { search, hash } = new URL(to, 'http://server.invalid');
  return `${search}${hash}`;
}

export function moveTo(to: string, history: 'push' | 'replace'): void {
  const address = `${globalThis.location.pathname}${toOwnAddress(to)}`;
  if (history === 'push') globalThis.history.pushState(null, '', address);
  else globalThis.history.replaceState(null, '', address);
  globalThis.dispatchEvent(new Event(moved));
}

/** @returns how to stop */
export function followMoves(follow: () => void): () => void {
  const events = [moved, 'popstate'] as const;
  for (const event of events) globalThis.addEventListener(event, follow);
  return () => {
    for (const event of events) globalThis.removeEventListener(event, follow);
  };
}

export function readQuery(): string {
  return globalThis.location.search.replace(/^\?/, '');
}
