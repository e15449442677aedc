import 'server-only';

/**
 * What stands for the place of an error in the app where no frame does. A page's address has values where its route is not known: the
 * first folder says which pages they are.
 */
export function findCulprit({ route, path }: { readonly route: string; readonly path: string }): string {
  return route || path.replace(/^(\/[^/]+)\/.+$/, '$1/…');
}
