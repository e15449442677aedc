import type { Refusal } from './action-errors.ts';

/** The refusal that the notice shows. One is enough: the newest says what the visitor just tried. */
let latest: Refusal | undefined;
const listeners = new Set<() => void>();

export function showRefusal(refusal: Refusal | undefined): void {
  if (latest === refusal) return;
  latest = refusal;
  for (const listener of listeners) listener();
}

export function latestRefusal(): Refusal | undefined {
  return latest;
}

/** React resets a form whose action is through. While the notice says that what was typed is still there, it must be. */
export function keepInput(event: Event): void {
  if (latest) event.preventDefault();
}

export function subscribeLatestRefusal(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
