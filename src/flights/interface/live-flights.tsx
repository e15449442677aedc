'use client';

import { useEffect, useState } from 'react';

import { isRecord } from '#boundary';
import { useHydrated } from '#viewer/use-hydrated.ts';
import { isNavigationInFlight } from '#src/runtime/navigation/current-navigation.ts';
import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';

/** Reading speed: a list that changes more often cannot be read. */
const pauseMs = 2_000;
/**
 * A busy or restarting server does not say when to come back, and the browser's own retries end at the first refusal.
 */
const reconnectMs = 10_000;
/** Below this scroll position, flights that are inserted at the top would move what is being read. */
const topPixels = 200;

type Counts = { readonly count: number; readonly faults: number };
type Arrived = Counts & { readonly of: string };

function readNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function readCounts(data: unknown): Counts {
  const parsed: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
  const { count, faults } = isRecord(parsed) ? parsed : {};
  return { count: readNumber(count), faults: readNumber(faults) };
}

/** Listens while the tab is visible. A hidden tab asks again when it becomes visible. @returns ends it */
function listen(address: string, onCounts: (counts: Counts) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  function open(): void {
    close();
    if (document.hidden) return;
    const opened = new EventSource(address);
    source = opened;
    opened.addEventListener('message', (event) => onCounts(readCounts(event.data)));
    opened.addEventListener('error', () => {
      if (opened.readyState === EventSource.CLOSED && source === opened) timer = setTimeout(open, reconnectMs);
    });
  }

  document.addEventListener('visibilitychange', open);
  open();
  return () => {
    document.removeEventListener('visibilitychange', open);
    close();
  };
}

function isReaderAtTop(): boolean {
  return window.scrollY < topPixels && !document.activeElement?.matches('input, select, textarea');
}

function formatOne(count: number, one: string): string {
  if (count >= 100) return `100 new ${one}s or more`;
  return count === 1 ? `1 new ${one}` : `${count} new ${one}s`;
}

function format({ count, faults }: Counts): string {
  return [...(count > 0 ? [formatOne(count, 'flight')] : []), ...(faults > 0 ? [formatOne(faults, 'fault')] : [])].join(
    ', ',
  );
}

/**
 * Keeps the list up to date, of flights, of faults or of both. At the top of the page what is new is inserted automatically. Further down,
 * or while a filter is being typed, a button says how many there are. Without JavaScript this is missing, and the list stays as it was when
 * it was requested.
 * @param address of the events (events-address.ts)
 */
export function LiveFlights({ address }: { address: string }) {
  const { reload } = useNavigate();
  const [arrived, setArrived] = useState<Arrived>({ of: address, count: 0, faults: 0 });
  const [announced, setAnnounced] = useState('');
  const isHydrated = useHydrated();
  const told = arrived.of === address ? format(arrived) : '';
  const isBehind = told !== '';

  useEffect(
    () =>
      listen(address, (counts) => {
        setArrived({ of: address, ...counts });
        if (format(counts) !== '') setAnnounced(format(counts));
      }),
    [address],
  );

  useEffect(() => {
    if (!isBehind) return undefined;
    const shownAt = performance.now();
    const timer = setInterval(() => {
      if (document.hidden || isNavigationInFlight() || performance.now() - shownAt < pauseMs) return;
      if (isReaderAtTop()) void reload();
    }, 250);
    return () => clearInterval(timer);
  }, [isBehind, reload]);

  if (!isHydrated) return null;
  return (
    <>
      <span role="status" className="sr-only" data-arrived={announced ? '' : undefined}>
        {announced}
      </span>
      {isBehind ? (
        <button type="button" className="button-small live-arrived" onClick={() => void reload()}>
          {told}
        </button>
      ) : (
        <span className="live-mark">live</span>
      )}
    </>
  );
}
