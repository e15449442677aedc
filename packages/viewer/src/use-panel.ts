import { useEffect, useState, type ComponentType } from 'react';

import { findPanel, loadPanel, preloadPanel } from './load-panel.ts';
import type { PanelProps } from './opened-flight.ts';
import { tabIds, type TabId } from './view-hash.ts';

export type PanelState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly retry: () => void }
  | { readonly kind: 'ready'; readonly Panel: ComponentType<PanelProps> };

type Attempt = { readonly id: TabId; readonly outcome: 'loaded' | 'failed' };

/** A panel and its file: it is there at once when it was loaded before. */
export function usePanel(id: TabId): PanelState {
  const [attempt, setAttempt] = useState<Attempt>();
  const Panel = findPanel(id);
  const isFailed = attempt?.id === id && attempt.outcome === 'failed';
  const isMissing = Panel === undefined && !isFailed;

  useEffect(() => {
    if (!isMissing) return undefined;
    let isCurrent = true;
    async function load() {
      let outcome: Attempt['outcome'] = 'loaded';
      try {
        await loadPanel(id);
      } catch {
        outcome = 'failed';
      }
      if (isCurrent) setAttempt({ id, outcome });
    }
    void load();
    return () => {
      isCurrent = false;
    };
  }, [id, isMissing]);

  if (Panel) return { kind: 'ready', Panel };
  return isFailed ? { kind: 'failed', retry: () => setAttempt(undefined) } : { kind: 'loading' };
}

/** Loads all panels, one after the other, when the browser has nothing else to do. */
export function usePanelsWhenIdle(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return undefined;
    let isCurrent = true;
    async function loadAll() {
      for (const id of tabIds) if (isCurrent) await preloadPanel(id);
    }
    // Safari has no idle callbacks.
    const wait = globalThis.requestIdleCallback ?? ((run: () => void) => globalThis.setTimeout(run, 200));
    const forget = globalThis.cancelIdleCallback ?? globalThis.clearTimeout;
    const timer = wait(() => void loadAll());
    return () => {
      isCurrent = false;
      forget(timer);
    };
  }, [isShown]);
}
