/**
 * Which of the server's modules are in one file. Everything that it loads before its first answer is, since each file of its own costs 0.5
 * ms to find and to read. What the writing thread needs as well is a second one, so that the thread loads nothing else. What is loaded
 * later stays where the bundler puts it.
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
 * For the bundler’s `codeSplitting.groups`, which needs no dependencies of a module besides: each entry that needs the module needs them,
 * too. @returns null for a module of no group; style sheets stay with their pages
 */
export function nameStartChunk(id: string, modules: Modules): string | null {
  const entries = /\.css(?:\?|$)/.test(id) ? [] : findEntries(id, modules);
  const isOf = (name: string) => entries.some((entry) => entry.includes(name));
  if (!isOf('entry.server') || isOf('maps-thread')) return null;
  return isOf('writer-thread') ? 'writer' : 'start';
}
