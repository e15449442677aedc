import { mountPath } from '#src/server/http/addresses.ts';

/** The root layout is the whole document's, and the router looks for the page of what is not found nowhere else. */
const ofRouter = /^\.\/pages\/(?:_root|404)\.tsx$/;

/**
 * The files of the pages by the names under which the router shall know them: below the mount path. Waku's own `basePath` is not
 * used for this, since its addresses are whole in some places and without the base in others; so ours are whole everywhere.
 */
export function mountPages<Load>(pages: Readonly<Record<string, Load>>, mount = mountPath): Record<string, Load> {
  function toMounted(file: string): string {
    return ofRouter.test(file) ? file : file.replace(/^\.\/pages(?:\/_api(?=\/))?/, `$&${mount}`);
  }
  return Object.fromEntries(Object.entries(pages).map(([file, load]) => [toMounted(file), load]));
}
