import { forget, recall, remember } from './session-memory.ts';

/**
 * Leaving for a page by an ordinary document request, when the router got nowhere, without ever doing so twice for one
 * page: a document that stalls on its own URL again would otherwise load for ever. What was left for is remembered for
 * exactly one document; the first navigation that succeeds there ends the suspicion.
 */
const memoryKey = 'flight:left-for';

let leftFor: string | undefined;

function withoutHash(href: string): string {
  return href.split('#', 1)[0] ?? href;
}

/** Takes over what the document before this one remembered. */
export function readArrival(): void {
  leftFor ??= recall(memoryKey);
  forget(memoryKey);
}

export function forgetArrival(): void {
  leftFor = undefined;
}

/** False when this document may not leave for `href`: the one before it did, or that could not be remembered. */
export function rememberLeaving(href: string): boolean {
  const target = withoutHash(href);
  return leftFor !== target && remember(memoryKey, target);
}
