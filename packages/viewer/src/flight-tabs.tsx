import { useRef, type KeyboardEvent } from 'react';

import { preloadPanel } from './load-panel.ts';
import { tabIds, type TabId } from './view-hash.ts';

/** In the order in which people ask: what is it, when did it come, what is in it, what does it cost. */
const names: Record<TabId, string> = {
  overview: 'Overview',
  waterfall: 'Waterfall',
  tree: 'Tree',
  bytes: 'Bytes',
  rows: 'Rows',
  modules: 'Modules',
  findings: 'Findings',
};

export function nameTab(id: TabId): string {
  return names[id];
}

type FlightTabsProps = {
  /** Before the ids of the tabs and of their panel. */
  readonly id: string;
  readonly shown: TabId;
  readonly onShow: (tab: TabId) => void;
};

/** The names of the panels. Arrow keys show the next one, as in every list of tabs. */
export function FlightTabs({ id, shown, onShow }: FlightTabsProps) {
  const list = useRef<HTMLDivElement>(null);

  function moveTab(event: KeyboardEvent) {
    const at = tabIds.indexOf(shown);
    const last = tabIds.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = tabIds[moves[event.key] ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    onShow(next);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  }

  return (
    <div ref={list} role="tablist" aria-label="Views of the flight" className="flight-tabs">
      {tabIds.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${id}-${tab}`}
          data-tab={tab}
          aria-selected={tab === shown}
          aria-controls={`${id}-panel`}
          tabIndex={tab === shown ? 0 : -1}
          onClick={() => onShow(tab)}
          onPointerEnter={() => void preloadPanel(tab)}
          onFocus={() => void preloadPanel(tab)}
          onKeyDown={moveTab}
        >
          {names[tab]}
        </button>
      ))}
    </div>
  );
}
