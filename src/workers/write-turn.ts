import { onPrimary, tellPrimary } from './channel.ts';
import { thisWorker } from './this-worker.ts';

/**
 * One writer at a time, where several processes write one SQLite file. SQLite itself lets the second writer wait on the thread that
 * serves pages, and looks only now and then whether the first is done. So before it writes, a worker asks the primary for its turn
 * and serves pages meanwhile; the primary gives it to one after the other (primary/turn-queue.ts).
 *
 *     give = await turn.take()   before the connection is asked for: nobody who reads waits behind this
 *     give = await turn.join()   with the connection in hand
 *
 * This process has one connection, so its own writers come one after the other in any case, and share a turn that is there. Who has
 * the connection always may, also when others wait for the turn: who took the turn first may be waiting for this connection.
 *
 * Nothing depends on a turn but speed. SQLite's own lock is what keeps two writers apart, also from the operator's commands, which
 * ask nobody. So a primary that does not answer delays a write, and does not stop it.
 */
export type Give = () => void;

export type WriteTurn = {
  readonly take: () => Promise<Give>;
  readonly join: () => Promise<Give>;
};

/** Five turns that all take too long (primary/turn-queue.ts). The primary answers in less than a millisecond. */
const answerLimitMs = 5_000;
/** A turn with which more than a few groups of writes were made is given back before the next begins, so that others get theirs. */
const sharedForMs = 50;

type Primary = { readonly ask: () => void; readonly giveBack: () => void };

type State =
  | { readonly type: 'away' }
  /** `late`: the answer took too long. The turn is given back when it comes. */
  | { readonly type: 'asked'; readonly late: NodeJS.Timeout }
  | { readonly type: 'here'; readonly since: number; readonly isReal: boolean };

export type TurnUser = WriteTurn & {
  /** To be called when the primary gives the turn. */
  readonly begin: () => void;
};

export function createTurnUser({ ask, giveBack }: Primary): TurnUser {
  let state: State = { type: 'away' };
  let users = 0;
  /** Asked for, and not answered in time. */
  let unanswered = 0;
  let waiting: (() => void)[] = [];

  function arrive(isReal: boolean): void {
    state = { type: 'here', since: performance.now(), isReal };
    const all = waiting;
    waiting = [];
    users += all.length;
    for (const go of all) go();
  }

  function askOnce(): void {
    if (state.type !== 'away') return;
    function goOnWithout(): void {
      unanswered += 1;
      arrive(false);
    }
    state = { type: 'asked', late: setTimeout(goOnWithout, answerLimitMs) };
    ask();
  }

  function leave(): void {
    users -= 1;
    if (users > 0 || state.type !== 'here') return;
    if (state.isReal) giveBack();
    state = { type: 'away' };
    if (waiting.length > 0) askOnce();
  }

  function toGive(): Give {
    let isGiven = false;
    return function give() {
      if (!isGiven) leave();
      isGiven = true;
    };
  }

  async function wait(): Promise<Give> {
    const arrived = new Promise<void>((resolve) => waiting.push(resolve));
    askOnce();
    await arrived;
    return toGive();
  }

  async function join(): Promise<Give> {
    if (state.type !== 'here') return wait();
    users += 1;
    return toGive();
  }

  return {
    join,
    async take() {
      const isOld = state.type === 'here' && performance.now() - state.since > sharedForMs;
      return isOld ? wait() : join();
    },
    begin() {
      if (unanswered > 0 || state.type !== 'asked') {
        unanswered = Math.max(0, unanswered - 1);
        giveBack();
        return;
      }
      clearTimeout(state.late);
      arrive(true);
    },
  };
}

/** The turn of this process; undefined where it is the only one. */
export function openWriteTurn(): WriteTurn | undefined {
  if (!thisWorker()) return undefined;
  const user = createTurnUser({
    ask: () => tellPrimary({ type: 'turn-wanted' }),
    giveBack: () => tellPrimary({ type: 'turn-back' }),
  });
  onPrimary('turn', user.begin);
  return user;
}
