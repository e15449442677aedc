import { useSyncExternalStore } from 'react';

/** Below this width each line of the lists becomes two lines: see rows-panel.css. */
const narrow = '(width < 40rem)';

function subscribe(onChange: () => void): () => void {
  const query = globalThis.matchMedia(narrow);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => globalThis.matchMedia(narrow).matches,
    () => false,
  );
}
