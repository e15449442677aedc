/**
 * Values that outlive the document, in this tab. A browser may block storage for an origin. Then nothing is remembered,
 * and the caller is told.
 */
function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

export function recall(key: string): string | undefined {
  return attempt(() => sessionStorage.getItem(key)) ?? undefined;
}

/** False when it could not be remembered. */
export function remember(key: string, value: string): boolean {
  return (
    attempt(() => {
      sessionStorage.setItem(key, value);
      return true;
    }) ?? false
  );
}

export function forget(key: string): void {
  attempt(() => sessionStorage.removeItem(key));
}
