import { describeAddress } from './breadcrumbs.ts';

/** React and module loaders reject with the event of an element that could not load something: that names itself nowhere. */
export function describeEvent(thrown: unknown): unknown {
  const target = thrown instanceof Event && thrown.target;
  if (!(target instanceof Element)) return thrown;
  const address = target.getAttribute('src') ?? target.getAttribute('href') ?? '';
  return `<${target.localName}> could not load ${address && describeAddress(address)}`;
}
