const pagePrefix = 'page:';
const slicePrefix = 'slice:';

/** Of Waku's elements: the page's name among them, which is its pattern, or the slice's. A prerendered file of our own does not say. */
export function findRoute(elements: readonly string[], path: string): string {
  const page = elements.find((id) => id.startsWith(pagePrefix));
  return page?.slice(pagePrefix.length) ?? elements.find((id) => id.startsWith(slicePrefix)) ?? path;
}
