const failure = 'vite:preloadError';

/**
 * Imports a part of the page that the rest does without. The document is loaded again when a module cannot be loaded
 * (module-recovery.ts), which loses what somebody typed; not for such a part. Who asks for it says what is missing, and offers another try.
 *
 * @throws when a file of it cannot be loaded, its style sheet included
 */
export async function importPart<T>(load: () => Promise<T>): Promise<T> {
  let hasFailed = false;
  function keepDocument(event: Event): void {
    event.preventDefault();
    hasFailed = true;
  }
  addEventListener(failure, keepDocument);
  try {
    const part = await load();
    // An import whose failure is prevented has no error, and nothing in it.
    if (hasFailed) throw new Error('A file of this part could not be loaded');
    return part;
  } finally {
    removeEventListener(failure, keepDocument);
  }
}
