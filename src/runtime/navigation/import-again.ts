/**
 * Browsers remember that a module could not be fetched: Chromium does since 150, as the HTML standard says. `import()` of the same
 * address then fails for the life of the document, and sends no request. The same file under an address that the browser does not know is
 * fetched. So each failed import is repeated once under such an address: `vite.ts` puts this into the browser's build.
 *
 * Where a file that it imports itself is what failed, this fails, too. Then only the document again helps.
 */
/** Not of an address that was made here: it is asked for once. */
const failedImport = /dynamically imported module: ([^\s?]+)$/;

/** Knows a failed import by the words of Chromium and Firefox, and of Safari. */
export function isFailedImport(error: unknown): boolean {
  return /dynamically imported module|Importing a module/.test(String(error));
}

/** What was fetched under another address. The import of the first address fails each time, and must give the same module each time. */
const fetched = new Map<string, Promise<unknown>>();
let count = 0;

/**
 * @param error what an import failed with. Chromium and Firefox name the file in it, Safari does not
 * @returns the module
 * @throws `error` where it does not name a file, or what the second try failed with
 */
export async function importAgain<T>(error: unknown): Promise<T> {
  const address = failedImport.exec(String(error))?.[1];
  if (address === undefined) throw error;
  const known = fetched.get(address);
  const module = known ?? import(/* @vite-ignore */ `${address}?again=${++count}`);
  if (!known) fetched.set(address, module);
  try {
    const again: T | undefined = await module;
    // In the build this import goes through load-module.ts, too, which gives nothing where somebody prevented the failure.
    if (again === undefined) throw error;
    return again;
  } catch (failure) {
    fetched.delete(address);
    throw failure;
  }
}
