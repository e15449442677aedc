'use client';

// Imported first: the panels' own styles must come after the shared ones.
import './flight-viewer.css';

import {
  useCallback,
  useEffect,
  useId,
  useRef,
  type ComponentType,
  type KeyboardEvent as ReactKeyboardEvent,
} from 'react';

import type { OpenedFlight, PanelProps, Place } from './opened-flight.ts';
import { BytesPanel } from './bytes/bytes-panel.tsx';
import { FindingsPanel } from './findings/findings-panel.tsx';
import { ModulesPanel } from './modules/modules-panel.tsx';
import { OverviewPanel } from './overview/overview-panel.tsx';
import { RowsPanel } from './rows/rows-panel.tsx';
import { TimeNotice } from './time-notice.tsx';
import { useView } from './use-view.ts';
import type { TabId } from './view-hash.ts';
import { TreePanel } from './tree/tree-panel.tsx';
import { WaterfallPanel } from './waterfall/waterfall-panel.tsx';

/** In the order in which people ask: what is it, when did it come, what is in it, what does it cost. */
const tabs: readonly { id: TabId; name: string; Panel: ComponentType<PanelProps> }[] = [
  { id: 'overview', name: 'Overview', Panel: OverviewPanel },
  { id: 'waterfall', name: 'Waterfall', Panel: WaterfallPanel },
  { id: 'tree', name: 'Tree', Panel: TreePanel },
  { id: 'bytes', name: 'Bytes', Panel: BytesPanel },
  { id: 'rows', name: 'Rows', Panel: RowsPanel },
  { id: 'modules', name: 'Modules', Panel: ModulesPanel },
  { id: 'findings', name: 'Findings', Panel: FindingsPanel },
];

/** Whether a text field or a select uses the keys itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/**
 * Shows one flight in all panels. Must not be rendered on the server, because the address says what is shown. What is
 * selected in one panel is selected in all.
 */
export function FlightViewer({ opened }: { opened: OpenedFlight }) {
  const [view, change] = useView(opened.flight);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs.find((tab) => tab.id === view.tab) ?? tabs[0];

  /** Choosing a place leads to its row, except in the rows and the waterfall, which show it themselves. */
  const select = useCallback((selected: Place) => change({ selected, tab: 'rows' }), [change]);
  const selectHere = useCallback((selected: Place) => change({ selected }), [change]);
  const setTime = useCallback((time: number | undefined) => change({ time }), [change]);

  function moveTab(event: ReactKeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.id === shown?.id);
    const last = tabs.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = tabs[moves[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    change({ tab: next.id });
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  }

  useEffect(() => {
    function find(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      // The tree has a search of its own. Elsewhere the rows are searched, whose field exists only after they are rendered.
      if (!document.getElementById('flight-search')) change({ tab: 'rows' });
      requestAnimationFrame(() => document.getElementById('flight-search')?.focus());
    }
    document.addEventListener('keydown', find);
    return () => document.removeEventListener('keydown', find);
  }, [change]);

  if (!shown) return null;
  const { Panel } = shown;
  const staysHere = shown.id !== 'overview';
  return (
    <section aria-label={opened.title} className="stack-3">
      <div ref={list} role="tablist" aria-label="Views of the flight" className="flight-tabs">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === shown.id}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === shown.id ? 0 : -1}
            onClick={() => change({ tab: tab.id })}
            onKeyDown={moveTab}
          >
            {tab.name}
          </button>
        ))}
      </div>
      {view.time === undefined ? null : <TimeNotice opened={opened} time={view.time} onTime={setTime} />}
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown.id}`} className="stack-4">
        <Panel
          opened={opened}
          selected={view.selected}
          onSelect={staysHere ? selectHere : select}
          onOpen={select}
          time={view.time}
          onTime={setTime}
        />
      </div>
    </section>
  );
}
