const pagePrefix = 'page:';
const slicePrefix = 'slice:';

/** Finds the name of the page or slice among Waku's elements, which is its pattern. A prerendered file of our own does not say. */
export function findRoute(elements: readonly string[], path: string): string {
  const page = elements.find((id) => id.startsWith(pagePrefix));
  return page?.slice(pagePrefix.length) ?? elements.find((id) => id.startsWith(slicePrefix)) ?? path;
}
