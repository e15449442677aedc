'use client';

// Imported first: the panels' own styles must come after the shared ones.
import './flight-viewer.css';

import { useCallback, useEffect, useId, useRef, useState } from 'react';

import { PartFailed } from './part-failed.tsx';
import { countFlight, stopCounting } from './count-flight.ts';
import { FlightTabs, nameTab } from './flight-tabs.tsx';
import type { OpenedFlight, Place } from './opened-flight.ts';
import { ViewerAddressesContext, type ViewerAddresses } from './viewer-addresses.ts';
import { usePanel, usePanelsWhenIdle } from './use-panel.ts';
import { formatViewHash, leadsElsewhere, parseViewHash, type TabId, type View } from './view-hash.ts';
import { countRowsWithin, type Flight, formatCount } from '#flight';
import { formatPosition, readArrival } from './arrival.ts';

/** Whether a text field or a select uses the keys itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** "/" leads to the search of the panel; to that of the rows where the panel has none. */
function useSearchKey(tab: TabId, onSearch: () => void): void {
  /** The tab in which it was pressed, until the field has the focus or somebody goes elsewhere. */
  const pressedIn = useRef<TabId | undefined>(undefined);

  // After every render: the field is there when the rows are, and their file may still be on its way. Until it came the old tab is there,
  // and may be rendered again.
  useEffect(() => {
    if (pressedIn.current === undefined || (tab !== 'rows' && tab === pressedIn.current)) return;
    const field = tab === 'rows' ? document.getElementById('flight-search') : undefined;
    if (field === null) return;
    pressedIn.current = undefined;
    field?.focus();
  });

  useEffect(() => {
    function find(event: KeyboardEvent) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      // The tree has a search of its own.
      const field = document.getElementById('flight-search');
      if (field) return field.focus();
      pressedIn.current = tab;
      onSearch();
    }
    document.addEventListener('keydown', find);
    return () => document.removeEventListener('keydown', find);
  }, [tab, onSearch]);
}

/** What was pressed may be in the panel that it leads away from: then the keyboard goes on in the one that is shown. */
function useKeptFocus(tab: TabId, isReady: boolean) {
  const panel = useRef<HTMLDivElement>(null);
  const shown = useRef(tab);
  useEffect(() => {
    if (!isReady || shown.current === tab) return;
    shown.current = tab;
    if (document.activeElement === document.body) panel.current?.focus({ preventScroll: true });
  }, [tab, isReady]);
  return panel;
}

/** The counting takes longest of all and runs elsewhere, so it begins with the first picture, whichever that is. */
function useCounting(opened: OpenedFlight): void {
  useEffect(() => {
    countFlight(opened);
    return () => stopCounting(opened.flight);
  }, [opened]);
}

type FlightViewerProps = {
  readonly opened: OpenedFlight;
  readonly addresses: ViewerAddresses;
};

type TimeNoticeProps = {
  readonly opened: OpenedFlight;
  readonly time: number;
  readonly onTime: (ms: number | undefined) => void;
};

/** Says that the flight is shown as it was at a time, not at its end, and offers a way back to the end. */
function TimeNotice({ opened, time, onTime }: TimeNoticeProps) {
  const arrival = readArrival(opened);
  const rows = countRowsWithin(opened.flight, arrival.bytesAt(time));
  return (
    <p
      className="flex flex-wrap items-center gap-x-[0.8rem] gap-y-[0.4rem] max-w-none px-3 py-[0.35rem] rounded-md bg-lit text-[0.875rem]"
      role="status"
    >
      <span>
        At <strong>{formatPosition(arrival.unit, time)}</strong>: {formatCount(rows)} of{' '}
        {formatCount(opened.flight.rows.count)} rows had come.
      </span>
      <button type="button" className="button-small" onClick={() => onTime(undefined)}>
        Show the end
      </button>
    </p>
  );
}

/**
 * The viewer's state, kept in the address. A change replaces the history entry, so that going back leaves the flight,
 * as people expect after a hundred selected rows. The router's own state of that entry stays as it is.
 */
function useView(flight: Flight, inFile: string | undefined): readonly [View, (change: Partial<View>) => void] {
  const [view, setView] = useState<View>(() => parseViewHash(flight, globalThis.location?.hash ?? ''));

  useEffect(() => {
    function follow() {
      const { hash } = globalThis.location;
      if (!leadsElsewhere(hash, inFile)) setView(parseViewHash(flight, hash));
    }
    globalThis.addEventListener('hashchange', follow);
    return () => globalThis.removeEventListener('hashchange', follow);
  }, [flight, inFile]);

  useEffect(() => {
    const { pathname, search, hash } = globalThis.location;
    const wanted = formatViewHash(flight, view, inFile);
    if (wanted !== hash) globalThis.history.replaceState(globalThis.history.state, '', `${pathname}${search}${wanted}`);
  }, [flight, view, inFile]);

  const change = useCallback((part: Partial<View>) => setView((before) => ({ ...before, ...part })), []);
  return [view, change];
}

/**
 * Shows one flight in all panels. Must not be rendered on the server, because the address says what is shown. What is
 * selected in one panel is selected in all.
 */
export function FlightViewer({ opened, addresses }: FlightViewerProps) {
  const [view, change] = useView(opened.flight, addresses.inFile);
  const id = useId();
  const panel = usePanel(view.tab);
  const focused = useKeptFocus(view.tab, panel.kind === 'ready');
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
    <ViewerAddressesContext value={addresses}>
      <section aria-label={opened.title} className="stack-3">
        <FlightTabs id={id} shown={view.tab} onShow={(tab) => change({ tab })} />
        {view.time === undefined ? null : <TimeNotice opened={opened} time={view.time} onTime={setTime} />}
        <div
          ref={focused}
          id={`${id}-panel`}
          role="tabpanel"
          tabIndex={-1}
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
    </ViewerAddressesContext>
  );
}
