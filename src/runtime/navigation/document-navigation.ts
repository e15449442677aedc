import { forget, recall, remember } from '#report/browser/tab-memory.ts';

/**
 * Leaves for a page by an ordinary document request when the router made no progress, but never twice in a row for one
 * page. Otherwise a document that stalls on its own URL would load again for ever. The URL is remembered for exactly
 * one document. The first navigation that succeeds there clears it.
 */
const memoryKey = 'flight:left-for';

let leftFor: string | undefined;

function withoutHash(href: string): string {
  return href.split('#', 1)[0] ?? href;
}

/** Takes over what the previous document remembered. */
export function readArrival(): void {
  leftFor ??= recall(memoryKey);
  forget(memoryKey);
}

export function forgetArrival(): void {
  leftFor = undefined;
}

/** False when this document may not leave for `href`: the previous document did, or the URL could not be remembered. */
export function rememberLeaving(href: string): boolean {
  const target = withoutHash(href);
  return leftFor !== target && remember(memoryKey, target);
}
