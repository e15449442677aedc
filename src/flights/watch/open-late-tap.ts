import type { Tap } from '#src/proxy/watch.ts';

/** @param flat name, value, name, value */
function readContentType(flat: readonly string[]): string | undefined {
  const at = flat.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : flat[at + 1];
}

/**
 * Opens a tap when the answer's head is there. Most requests for files, and those for a head alone, leave nothing to keep, and the head
 * says so.
 * @param open called with that head; opens what records the rest
 */
export function openLateTap(open: (status: number, contentType: string | undefined) => Tap | undefined): Tap {
  let tap: Tap | undefined;
  return {
    response(status, headers) {
      tap = open(status, readContentType(headers));
      return tap?.response(status, headers) ?? false;
    },
    body: (chunk) => tap?.body(chunk),
    end: (outcome) => tap?.end(outcome),
  };
}
