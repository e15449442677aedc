import type { Flight } from './flight.ts';
import { readText } from './resolve.ts';
import { elementKind, kindAt, nextAt, stepAt } from './tape.ts';
import { findEntry, readElement, readValue, type Value } from './value.ts';

/** An element of a page with an address, and what it says of prefetching. */
export type LinkElement = {
  readonly href: string;
  /** `prefetch={false}` of Next.js, `"none"` of React Router. */
  readonly isNeverPrefetched: boolean;
  /** `prefetch={true}` of Next.js: all of the page is fetched, as a click would. */
  readonly isWhollyPrefetched: boolean;
};

/** Characters. Browsers and servers take no longer ones; a hostile payload may have one of megabytes that each link refers to. */
const longestAddress = 8_192;

/** Reads addresses. What a link refers to is read once, however many refer to it. */
function createAddressReader(flight: Flight): (address: Value) => string | undefined {
  const known = new Map<string, string | undefined>();

  function read(address: Value): string | undefined {
    const text = readText(flight, address);
    return text === undefined || text.length > longestAddress ? undefined : text;
  }

  return (address) => {
    if (address.kind !== 'reference') return read(address);
    const key = `${address.id} ${address.path.join(':')}`;
    if (!known.has(key)) known.set(key, read(address));
    return known.get(key);
  };
}

/** Elements with a `href`, in the order of the rows. Components of the browser render others, which no payload has. */
export function readLinks(flight: Flight): LinkElement[] {
  const { rows, tape } = flight;
  const readAddress = createAddressReader(flight);
  const links: LinkElement[] = [];
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    const end = model === 0 ? 0 : nextAt(tape, model - 1);
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      if (kindAt(tape, at) !== elementKind) continue;
      const { props } = readElement(flight, readValue(flight, row, at));
      const address = props && findEntry(flight, props, 'href');
      const href = address && readAddress(address);
      if (!props || href === undefined) continue;
      const prefetch = findEntry(flight, props, 'prefetch');
      const value = prefetch?.kind === 'boolean' || prefetch?.kind === 'string' ? prefetch.value : undefined;
      links.push({
        href,
        isNeverPrefetched: value === false || value === 'none',
        isWhollyPrefetched: value === true,
      });
    }
  }
  return links;
}
