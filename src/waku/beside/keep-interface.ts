import { setTimeout as pause } from 'node:timers/promises';

import type { AppAnnouncement, AppBuild } from '#src/apps/app-announcement.ts';
import { describeError } from '#boundary';

import { askForApp, findInterface, type Found } from './ask-for-app.ts';
import type { OwnInterface } from './own-interface.ts';
import { takeTurn } from './take-turn.ts';

/**
 * Sees to it that there is an interface on the data folder: joins the one that runs, or starts one, and begins again when it is
 * gone. There is one for a folder, and processes of one app, or several apps, share it. Each asks it every two seconds: for what
 * is recorded of its app, and whether it is still there. When the process ends that has started it, the interface ends with it,
 * and one of the others starts the next. One that was started by itself is waited for.
 */
type Standing =
  | { readonly type: 'away' }
  | { readonly type: 'up'; readonly found: Found; readonly announcement: AppAnnouncement }
  /** Given up. */
  | { readonly type: 'off' };

export type Keeper = {
  readonly read: () => Standing;
  /** A request did not reach it: looks at once. */
  readonly lookAgain: () => void;
  readonly stop: () => Promise<void>;
};

export type KeepOptions = {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly app: string;
  /** What it runs; told with each question, since the next interface does not know it. */
  readonly build?: AppBuild | undefined;
  /** @param last the one that was there before, with which this process, or another one, began */
  readonly start: (last: Found | undefined) => Promise<OwnInterface>;
  /** False: one is started only in the place of another one, which was mounted nowhere, as this one will be. */
  readonly startsFirst?: boolean;
  /** It is known that no server has the folder. What it says of one is of before a crash, and its process id another process's. */
  readonly isFree?: boolean;
  /** One line for the app's output. */
  readonly say: (line: string) => void;
  /** Called with the one that this process has started. @param last as for `start` */
  readonly onStarted: (own: OwnInterface, found: Found, last: Found | undefined) => void;
  /** Called when its answer is there, and whenever it is another one. */
  readonly onAnnounced: (found: Found, announcement: AppAnnouncement) => void;
  /** The pauses before it is started again; for tests. */
  readonly pausesMs?: readonly number[];
  /** How long it may take until it can store something; for tests. */
  readonly readyLimitMs?: number;
};

/** Soon enough for a person who has just changed what is recorded. An answer takes a third of a millisecond. */
const askEveryMs = 2_000;
/** After the last of them it is given up: what fails so often is not mended by another try. */
const restartPausesMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000];
/** An interface that ran for so long has not failed at its start. */
const healthyMs = 60_000;
/** Another process starts it, or the last one is still ending. */
const waitMs = 250;
/** A database that is made at the first start, on a slow disk. */
const longestReadyMs = 15_000;
/** Twice what a server takes to end: after it, its process id is somebody else's. */
const longestEndMs = 25_000;

type Joined = { readonly found: Found; readonly own: OwnInterface | undefined };

type JoinerOptions = KeepOptions & {
  readonly signal: AbortSignal;
  readonly wait: (ms: number) => Promise<void>;
};

/** Finds the interface that is there, or starts one, and knows which it is. */
function createJoiner({
  folder,
  app,
  build,
  start,
  startsFirst = true,
  onStarted,
  onAnnounced,
  readyLimitMs = longestReadyMs,
  signal,
  wait,
}: JoinerOptions) {
  let standing: Standing = { type: 'away' };
  let isNew = true;
  let last: Found | undefined;
  let own: OwnInterface | undefined;

  /** @returns whether it is ready to say. @throws when it does not answer */
  async function ask(found: Found): Promise<boolean> {
    const announcement = await askForApp(found, app, isNew, build);
    if (signal.aborted) return true;
    if (!announcement) return false;
    const before = standing.type === 'up' ? JSON.stringify(standing.announcement) : '';
    isNew = false;
    standing = { type: 'up', found, announcement };
    if (JSON.stringify(announcement) !== before) onAnnounced(found, announcement);
    return true;
  }

  /** @throws with one line when it does not answer, or is not ready for so long that it never will be */
  async function askUntilReady(found: Found): Promise<void> {
    const until = performance.now() + readyLimitMs;
    while (!(await ask(found))) {
      if (performance.now() > until) throw new Error('it cannot store the app in its data folder');
      await wait(waitMs);
    }
  }

  async function join(): Promise<Joined | undefined> {
    const found = findInterface(folder);
    if (!found) return undefined;
    try {
      if (!(await ask(found))) return undefined;
      last = found;
      return { found, own: undefined };
    } catch {
      // It is ending, or its process id is another process's by now.
      return undefined;
    }
  }

  /** @returns undefined while another process is at it. @throws with one line */
  async function begin(): Promise<Joined | undefined> {
    const endTurn = takeTurn(folder);
    if (!endTurn) return undefined;
    try {
      const before = last;
      own = await start(before);
      if (signal.aborted) {
        await own.stop();
        return undefined;
      }
      const found = findInterface(folder);
      if (!found) throw new Error(`it did not say in ${folder} where it is`);
      await askUntilReady(found);
      onStarted(own, found, before);
      last = found;
      return { found, own };
    } catch (error) {
      await own?.stop();
      own = undefined;
      throw error;
    } finally {
      endTurn();
    }
  }

  /** While the last one is ending it has its lock on the folder, and answers nobody. */
  async function untilFree(): Promise<Joined | undefined> {
    const until = performance.now() + longestEndMs;
    while (findInterface(folder) && performance.now() < until && !signal.aborted) {
      const joined = await join();
      if (joined) return joined;
      await wait(waitMs);
    }
    return undefined;
  }

  /** One that was started by itself is its operator's to start again. */
  function mayBegin(): boolean {
    return last ? last.isBeside && (startsFirst || last.mount === '') : startsFirst;
  }

  return {
    ask,
    begin,
    untilFree,
    mayBegin,
    read: () => standing,
    leave(): void {
      own = undefined;
      standing = { type: 'away' };
    },
    async end(): Promise<void> {
      await own?.stop();
    },
    giveUp: () => void (standing = { type: 'off' }),
  };
}

export function keepInterface(options: KeepOptions): Keeper {
  const { isFree = false, say, pausesMs = restartPausesMs } = options;
  let awake = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const { signal } = stopped;
  const joiner = createJoiner({ ...options, signal, wait });

  function wait(ms: number): Promise<void> {
    return pause(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }

  /** @returns how it went away */
  async function stay({ found, own: mine }: Joined): Promise<string> {
    let gone: string | undefined;
    // Once, for all waits: a race would leave a reaction on this promise every two seconds.
    async function noteEnd(): Promise<void> {
      gone = await mine?.ended;
      if (gone !== undefined) awake.resolve();
    }
    void noteEnd();
    for (let misses = 0; !signal.aborted;) {
      // What has ended before is not waited for.
      if (gone === undefined) {
        awake = Promise.withResolvers<void>();
        await Promise.race([awake.promise, wait(misses > 0 && !mine ? waitMs : askEveryMs)]);
      }
      if (gone !== undefined || signal.aborted) return gone ?? '';
      try {
        // One that cannot store anything just now is there all the same.
        await joiner.ask(found);
        misses = 0;
      } catch {
        misses += 1;
      }
      // One of ours that is only slow is not gone. Another process's may have been started again, elsewhere.
      if (!mine && misses > 1) return 'does not answer any more';
    }
    return '';
  }

  async function keep(): Promise<void> {
    let failures = 0;
    let isFirst = isFree;
    while (!signal.aborted) {
      let problem: string;
      try {
        const found = isFirst ? undefined : await joiner.untilFree();
        isFirst = false;
        const joined = found ?? (joiner.mayBegin() ? await joiner.begin() : undefined);
        if (signal.aborted) return;
        if (!joined) {
          await wait(joiner.mayBegin() ? waitMs : askEveryMs);
          continue;
        }
        const since = performance.now();
        problem = await stay(joined);
        joiner.leave();
        if (performance.now() - since > healthyMs) failures = 0;
        if (!joined.own) continue;
      } catch (error) {
        problem = `could not start: ${describeError(error)}`;
      }
      if (signal.aborted) return;
      const pauseMs = pausesMs[failures];
      failures += 1;
      if (pauseMs === undefined) break;
      say(`the interface ${problem}; it is started again in ${pauseMs / 1_000} s, and the app goes on`);
      await wait(pauseMs);
    }
    if (signal.aborted) return;
    joiner.giveUp();
    say('the interface has ended too often and is not started again; the app goes on');
  }

  const kept = keep();
  return {
    read: joiner.read,
    lookAgain: () => awake.resolve(),
    async stop() {
      stopped.abort();
      awake.resolve();
      await joiner.end();
      await kept;
      joiner.giveUp();
    },
  };
}
