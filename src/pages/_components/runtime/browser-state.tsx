'use client';

import { formatDuration } from '#flight';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { Facts } from '#viewer/facts.tsx';
import { useHydrated } from '#viewer/use-hydrated.ts';
import {
  readInitialNavigationState,
  readNavigationState,
  subscribeToNavigation,
  type NavigationState,
} from '#src/runtime/navigation/navigation-state.ts';
import { countBreadcrumbs } from '#report/browser/breadcrumbs.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { Table, type Column } from '#viewer/table.tsx';

/** Lifetimes are shown in whole seconds. */
const refreshMs = 1_000;

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

type Entry = NavigationState['entries'][number];

function listColumns(now: number): readonly Column<Entry>[] {
  return [
    { head: 'Prefetched page', isRowName: true, className: 'code font-normal', cell: ({ href }) => href },
    { head: 'Kind', cell: ({ kind }) => kind },
    {
      head: 'Usable for',
      className: 'whitespace-nowrap',
      cell: ({ expiresAt }) => `${Math.max(0, Math.ceil((expiresAt - now) / 1_000))} s`,
    },
  ];
}

function Entries({ entries, now }: { entries: NavigationState['entries']; now: number }) {
  if (entries.length === 0) return <p className="text-sm text-quiet">No page is prefetched.</p>;
  return <Table className="" columns={listColumns(now)} rows={entries} keyOf={({ href }) => href} />;
}

function Hrefs({ hrefs }: { hrefs: readonly string[] }) {
  return hrefs.length === 0 ? null : <span className="code text-quiet">{hrefs.join(', ')}</span>;
}

function LiveState() {
  const state = useSyncExternalStore(subscribeToNavigation, readNavigationState, readInitialNavigationState);
  const now = useNow();
  const { hits, misses, expired, takenOver } = state.counts;
  return (
    <>
      <Facts
        facts={[
          { name: 'Connection', value: state.connection === 'fine' ? 'fine' : 'waiting for the server' },
          {
            name: 'Running',
            value: (
              <>
                {state.running.length} of {runtimeSettings.concurrentPrefetches} <Hrefs hrefs={state.running} />
              </>
            ),
          },
          {
            name: 'Queue',
            value: (
              <>
                {state.queue.length} <Hrefs hrefs={state.queue} />
              </>
            ),
          },
          {
            name: 'Navigations',
            value: `${hits} from a prefetched page, ${misses} not (${expired} came too late), ${takenOver} took over a prefetch`,
          },
          {
            name: 'Viewport',
            value:
              state.viewportPausedUntil > now
                ? `prefetching paused for ${formatDuration(state.viewportPausedUntil - now)}`
                : 'links in view are prefetched',
          },
          {
            name: 'Breadcrumbs',
            value: `${countBreadcrumbs()} of ${runtimeSettings.breadcrumbsKept}`,
          },
        ]}
      />
      <Entries entries={state.entries} now={now} />
    </>
  );
}

/** What the runtime is doing in this tab. */
export function BrowserState() {
  return useHydrated() ? <LiveState /> : <p className="text-quiet">This is known only to a browser with JavaScript.</p>;
}
