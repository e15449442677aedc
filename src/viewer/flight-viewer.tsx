'use client';

// Imported first: the panels' own styles must come after the shared ones.
import './flight-viewer.css';

import { useCallback, useEffect, useId, useRef } from 'react';

import { PartFailed } from '#src/runtime/navigation/part-failed.tsx';
import { countFlight, stopCounting } from './count-flight.ts';
import { FlightTabs, nameTab } from './flight-tabs.tsx';
import type { OpenedFlight, Place } from './opened-flight.ts';
import { TimeNotice } from './time-notice.tsx';
import { usePanel, usePanelsWhenIdle } from './use-panel.ts';
import { useView } from './use-view.ts';
import type { TabId } from './view-hash.ts';

/** Whether a text field or a select uses the keys itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** "/" leads to the search of the panel; to that of the rows where the panel has none. */
function useSearchKey(tab: TabId, onSearch: () => void): void {
  const isWanted = useRef(false);

  // After every render: the field is there when the rows are, and their file may still be on its way.
  useEffect(() => {
    if (tab !== 'rows') isWanted.current = false;
    if (!isWanted.current) return;
    const field = document.getElementById('flight-search');
    if (!field) return;
    isWanted.current = false;
    field.focus();
  });

  useEffect(() => {
    function find(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      // The tree has a search of its own.
      const field = document.getElementById('flight-search');
      if (field) return field.focus();
      isWanted.current = true;
      onSearch();
    }
    document.addEventListener('keydown', find);
    return () => document.removeEventListener('keydown', find);
  }, [onSearch]);
}

/** The counting takes longest of all and runs elsewhere, so it begins with the first picture, whichever that is. */
function useCounting(opened: OpenedFlight): void {
  useEffect(() => {
    countFlight(opened);
    return () => stopCounting(opened.flight);
  }, [opened]);
}

/**
 * Shows one flight in all panels. Must not be rendered on the server, because the address says what is shown. What is
 * selected in one panel is selected in all.
 */
export function FlightViewer({ opened }: { opened: OpenedFlight }) {
  const [view, change] = useView(opened.flight);
  const id = useId();
  const panel = usePanel(view.tab);
  usePanelsWhenIdle(panel.kind === 'ready');
  useCounting(opened);
  useSearchKey(
    view.tab,
    useCallback(() => change({ tab: 'rows' }), [change]),
  );

  /** Choosing a place leads to its row, except in the rows and the waterfall, which show it themselves. */
  const select = useCallback((selected: Place) => change({ selected, tab: 'rows' }), [change]);
  const selectHere = useCallback((selected: Place) => change({ selected }), [change]);
  const setTime = useCallback((time: number | undefined) => change({ time }), [change]);

  return (
    <section aria-label={opened.title} className="stack-3">
      <FlightTabs id={id} shown={view.tab} onShow={(tab) => change({ tab })} />
      {view.time === undefined ? null : <TimeNotice opened={opened} time={view.time} onTime={setTime} />}
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${view.tab}`}
        aria-busy={panel.kind === 'loading'}
        className="stack-4"
      >
        {panel.kind === 'ready' ? (
          <panel.Panel
            opened={opened}
            selected={view.selected}
            onSelect={view.tab === 'overview' ? select : selectHere}
            onOpen={select}
            time={view.time}
            onTime={setTime}
          />
        ) : null}
        {panel.kind === 'loading' ? (
          <p role="status" className="flight-loading">
            Loading {nameTab(view.tab)} …
          </p>
        ) : null}
        {panel.kind === 'failed' ? (
          <PartFailed name={nameTab(view.tab)} rest="The other views still work." onRetry={panel.retry} />
        ) : null}
      </div>
    </section>
  );
}
