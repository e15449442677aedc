/**
 * Chooses the server's modules that the bundler puts into one file: all that the server loads before its first answer. To find and read a
 * file takes 0.5 ms, and they would be 186 files. Modules that the writing thread needs as well go into a second file, so that the thread
 * loads no others. Modules that are loaded later stay where the bundler puts them.
 */

type Modules = {
  readonly getModuleInfo: (id: string) => { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
};

/** The entries that cannot be loaded without the module. */
function findEntries(id: string, modules: Modules): string[] {
  const seen = new Set([id]);
  for (const one of seen) for (const importer of modules.getModuleInfo(one)?.importers ?? []) seen.add(importer);
  return [...seen].filter((one) => modules.getModuleInfo(one)?.isEntry);
}

/**
 * Names the chunk of a module, for the bundler's `codeSplitting.groups`. The group leaves dependencies out: an entry that needs a module
 * needs its dependencies too, so each is named by itself.
 * @returns null for a module of no group. Style sheets stay with their pages
 */
export function nameStartChunk(id: string, modules: Modules): string | null {
  const entries = /\.css(?:\?|$)/.test(id) ? [] : findEntries(id, modules);
  const isOf = (name: string) => entries.some((entry) => entry.includes(name));
  if (!isOf('entry.server') || isOf('maps-thread')) return null;
  return isOf('writer-thread') ? 'writer' : 'start';
}
