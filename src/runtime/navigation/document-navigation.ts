/**
 * Leaving for a page by an ordinary document request, when the router got nowhere, without ever doing so twice for one
 * page: a document that stalls on its own URL again would otherwise load for ever. What was left for is remembered in
 * the session storage for exactly one document; the first navigation that succeeds there ends the suspicion.
 */
const storageKey = 'flight:left-for';

let arrival: { readonly status: 'unread' } | { readonly status: 'read'; readonly href: string | null } = {
  status: 'unread',
};

function withoutHash(href: string): string {
  return href.split('#', 1)[0] ?? href;
}

/** Takes over what the document before this one remembered. */
export function readArrival(): void {
  if (arrival.status === 'read') return;
  try {
    arrival = { status: 'read', href: sessionStorage.getItem(storageKey) };
    sessionStorage.removeItem(storageKey);
  } catch (error) {
    // Storage is blocked for this origin; `rememberLeaving` refuses then, so there is nothing to have been left for.
    if (!(error instanceof DOMException)) throw error;
    arrival = { status: 'read', href: null };
  }
}

export function forgetArrival(): void {
  arrival = { status: 'read', href: null };
}

/** False when this document may not leave for `href`: the one before it did, or that could not be remembered. */
export function rememberLeaving(href: string): boolean {
  const target = withoutHash(href);
  if (arrival.status === 'read' && arrival.href === target) return false;
  try {
    sessionStorage.setItem(storageKey, target);
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}
