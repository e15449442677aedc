import { isRecord } from '#src/http/is-record.ts';
import { onPrimary, tellPrimary } from '#src/workers/channel.ts';

import { noteOthers, parseCounts, type ProcessCounts } from './other-counts.ts';

/**
 * Workers on a SQLite file tell each other what they have counted, over the channel of their primary: a page that shows a count is made
 * by one of them. Workers on a PostgreSQL have a table for it (instances.ts).
 */
const topic = 'worker-counts';
/** As servers on a PostgreSQL write their rows. */
const tellEveryMs = 5_000;
/** Three times in a row nothing came: it has ended. */
const goneAfterMs = 3 * tellEveryMs;

type Told = { readonly pid: number; readonly counts: ProcessCounts };

function readTold(text: string): Told | undefined {
  try {
    const told: unknown = JSON.parse(text);
    if (!isRecord(told) || typeof told['pid'] !== 'number') return undefined;
    return { pid: told['pid'], counts: parseCounts(told['counts']) };
  } catch {
    return undefined;
  }
}

/** @returns what ends it */
export function shareCounts(readCounts: () => ProcessCounts): () => void {
  const heard = new Map<number, { readonly at: number; readonly counts: ProcessCounts }>();

  function addUp(): void {
    for (const [pid, { at }] of heard) if (performance.now() - at > goneAfterMs) heard.delete(pid);
    noteOthers(Array.from(heard.values(), ({ counts }) => counts));
  }

  function tell(): void {
    tellPrimary({ type: 'news', topic, text: JSON.stringify({ pid: process.pid, counts: readCounts() }) });
    addUp();
  }

  const stopHearing = onPrimary('news', (news) => {
    const told = news.topic === topic ? readTold(news.text) : undefined;
    if (!told) return;
    heard.set(told.pid, { at: performance.now(), counts: told.counts });
    addUp();
  });
  const timer = setInterval(tell, tellEveryMs).unref();
  tell();
  return function stopCounts() {
    clearInterval(timer);
    stopHearing();
    noteOthers([]);
  };
}
