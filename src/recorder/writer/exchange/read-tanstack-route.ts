/**
 * The route of a page of TanStack Start, from what its script hands to the client: the matched routes, the innermost last, each with
 * an id made of the route's pattern and the page's path, with `#` for `/`.
 */
const match = /\{i:"([^"\\]{1,1000})",u:/g;

export function readTanstackRoute(html: string, path: string): string | undefined {
  const id = [...html.matchAll(match)].at(-1)?.[1]?.replaceAll('#', '/');
  if (id === undefined || !id.endsWith(path)) return undefined;
  return id.slice(0, -path.length) || undefined;
}
