import { publishNotification, subscribeNotifications } from '#src/store/notifications.ts';
import type { Store } from '#src/store/open-store.ts';

import { openFlightsReader, readNewestId } from './flights-reader.ts';

/**
 * Who wants to know when flights were written. This process's writer says so itself. Another process may write into the same file (a
 * proxy in front of another app), and tells nobody: so as long as somebody listens, the newest id is read a few times a second.
 * Servers that share a database tell each other.
 */
type Listener = (lastId: number) => void;

const listeners = new Set<Listener>();
/** A list that is half a second late is still live, and the query reads one entry of an index. */
const pollMs = 500;

let timer: NodeJS.Timeout | undefined;
/** The newest id that was read or written. */
let told: number | undefined;
/** What listeners were called with last: the poll may have seen a flight before its writer has answered. */
let calledWith: number | undefined;

let tellOthers: ((lastId: number) => void) | undefined;

/** Tells the other servers on this store, and hears of theirs. @returns what ends it */
export function shareFlights(store: Store): () => void {
  tellOthers = (lastId) => publishNotification(store, 'flights', String(lastId));
  const unsubscribe = subscribeNotifications(store, 'flights', (text) => {
    const lastId = Number(text);
    if (text !== '' && Number.isSafeInteger(lastId)) hear(lastId);
    else void poll();
  });
  return () => {
    tellOthers = undefined;
    unsubscribe();
  };
}

/** Call it after this process wrote flights. */
export function tellWritten(lastId: number): void {
  hear(lastId);
  tellOthers?.(lastId);
}

function hear(lastId: number): void {
  told = lastId;
  if (lastId === calledWith) return;
  calledWith = lastId;
  for (const listener of listeners) listener(lastId);
}

async function readNewest(): Promise<number | undefined> {
  try {
    const db = await openFlightsReader();
    return db ? await readNewestId(db) : 0;
  } catch {
    // Damage, or a file that is being moved: the page that asks for flights says so.
    return undefined;
  }
}

async function poll(): Promise<void> {
  const newest = await readNewest();
  if (newest === undefined || newest === told || listeners.size === 0) return;
  // The first answer says what is there already.
  if (told === undefined) told = newest;
  else hear(newest);
}

/** Calls back after flights were written, with the id of the newest. At most a few times a second. */
export function subscribeFlights(listener: Listener): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    told = undefined;
    calledWith = undefined;
    void poll();
    timer = setInterval(() => void poll(), pollMs).unref();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
