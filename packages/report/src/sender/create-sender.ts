import type { RecorderAddress } from '../recorder-url.ts';
import { stripTerminalCodes } from '../strip-terminal-codes.ts';

import type { AppError } from './app-error.ts';
import { readProperty } from './describe-thrown.ts';
import { receiverPath } from './receiver-path.ts';

/**
 * Sends errors of an app to its recorder, from inside the app. The app comes first: nothing here throws, nothing waits on the way
 * of an answer, the queue is bounded, and a recorder that does not answer costs one warning and a request now and then. What is
 * tried again and arrives is not spoken of: the output is the app's.
 */
export type Sender = {
  /**
   * Takes it; when too many wait, one of those that are most alike is dropped. `complete` runs later, just before it is sent.
   * @returns settles as soon as it is known what became of it; never rejects
   */
  readonly send: (complete: () => AppError, alike?: Alike) => Promise<Fate>;
  /** Resolves when nothing waits any more: all was sent, or given up. */
  readonly settle: () => Promise<void>;
};

/** By what errors are told apart before they are described. */
export type Alike = {
  readonly digest?: string | null | undefined;
  readonly stack?: string | undefined;
  /** Nothing shows that the app threw it: it may be a text that somebody made up, and makes way for the others. */
  readonly isVague?: boolean;
};

/**
 * `stored`: it is on the recorder's disk. `waiting`: the recorder does not answer now, and it is tried again. `lost`: nobody will see it.
 */
type Fate = 'stored' | 'waiting' | 'lost';

export type SenderOptions = {
  /** Where the address may change: a function, asked before each try. Undefined: the recorder is not there now. */
  readonly address: RecorderAddress | (() => RecorderAddress | undefined);
  readonly warn: (message: string) => void;
  readonly fetch?: typeof fetch;
  /** The delays before the next try; for tests. */
  readonly retryMs?: readonly number[];
  /** Below 1; for tests. */
  readonly random?: () => number;
  /** How long to gather before the first of some errors is sent: 0 where an answer waits for it. */
  readonly gatherMs?: number;
};

/** An app that fails more often in the seconds of an outage tells little that is new. Some 40 KB each. */
const queueLimit = 100;
const halfQueue = queueLimit / 2;
/** Of a full queue. */
const fewAlike = 10;
/** The receiver takes 1 MiB and 20 errors at once. */
const batchErrors = 20;
const batchBytes = 900_000;
/** Errors of one page come together, and the answer goes out first. */
const gatherForMs = 100;
const answerDeadlineMs = 10_000;
/** A restart of the recorder takes seconds. After that an error is old news, and the next one is worth more. */
const retryDelaysMs = [1_000, 5_000, 15_000];
const longestPauseMs = 60_000;

const ofBody = new Set([400, 413]);

type Outcome =
  | { readonly type: 'sent' }
  /** `malformed`: something in the body, and each of its errors may be it. */
  | { readonly type: 'refused' | 'malformed' | 'failed'; readonly reason: string; readonly waitMs?: number };

function readWait(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds * 1_000, longestPauseMs) : undefined;
}

/** One line for the app's output: the recorder's own words, or the beginning of what something in between wrote. */
function describeAnswer(status: number, text: string): string {
  let words = text;
  try {
    const answer: unknown = JSON.parse(text);
    const error = readProperty(answer, 'error');
    const [code, message] = [readProperty(error, 'code'), readProperty(error, 'message')];
    if (typeof code === 'string') words = typeof message === 'string' ? `${code}: ${message}` : code;
  } catch {
    // It is not the recorder's JSON.
  }
  return `${status} ${stripTerminalCodes(words).replaceAll(/\s+/g, ' ').slice(0, 200).trim()}`.trim();
}

type Pauses = {
  readonly pause: (ms: number) => Promise<void>;
  /** From now on, and until the returned function is called, a pause keeps the process alive. */
  readonly hold: () => () => void;
};

/** Waiting must not keep the app's process alive, unless somebody waits for the end of it before the process ends. */
function createPauses(): Pauses {
  let holders = 0;
  let current: unknown;
  /** Node's timers alone have `ref` and `unref`. */
  function call(method: 'ref' | 'unref'): void {
    const change = readProperty(current, method);
    if (typeof change === 'function') change.call(current);
  }
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        current = setTimeout(resolve, ms);
        if (holders === 0) call('unref');
      }),
    hold() {
      holders += 1;
      call('ref');
      return () => (holders -= 1);
    },
  };
}

type Waiting = {
  readonly complete: () => AppError;
  readonly settle: (fate: Fate) => void;
  /** Where it was thrown. */
  readonly place: string;
  /** The same, with the digest. */
  readonly error: string;
  readonly isVague: boolean;
};
type Sent = { readonly json: string; readonly settle: (fate: Fate) => void };

function settleAll(sent: readonly { readonly settle: (fate: Fate) => void }[], fate: Fate): void {
  for (const { settle } of sent) settle(fate);
}

/** The base has its mount path already. */
function toUrl({ base, app }: RecorderAddress): string {
  return `${base}${receiverPath(app)}`;
}

function takeBatch(queue: Waiting[]): Sent[] {
  const batch: Sent[] = [];
  let bytes = 0;
  while (queue.length > 0 && batch.length < batchErrors) {
    const [next] = queue;
    if (!next) break;
    let json: string;
    try {
      json = JSON.stringify(next.complete());
    } catch {
      // What cannot be described is not sent.
      queue.shift();
      next.settle('lost');
      continue;
    }
    // At most three bytes for a UTF-16 unit.
    if (batch.length > 0 && bytes + json.length * 3 > batchBytes) break;
    bytes += json.length * 3;
    queue.shift();
    batch.push({ json, settle: next.settle });
  }
  return batch;
}

/** @returns the first frame; empty where there is none */
function readPlace(stack: string): string {
  const [, first = ''] = stack.split('\n    at ', 2);
  return first.split('\n', 1)[0] ?? '';
}

/** @returns the last of those that most of `queue` are alike with */
function findMostAlike(queue: readonly Waiting[], by: 'place' | 'error'): { last: number; count: number } {
  const groups = new Map<string, { last: number; count: number }>();
  for (const [last, one] of queue.entries()) {
    groups.set(one[by], { last, count: (groups.get(one[by])?.count ?? 0) + 1 });
  }
  return [...groups.values()].reduce((most, group) => (group.count > most.count ? group : most), { last: 0, count: 0 });
}

/**
 * Drops the newest of the error that waits most often. So nobody who reloads a failing page costs another error its place. Where that
 * error waits a few times only, the newest of the place that most were thrown at goes. Where those are few as well, any of the second
 * half goes, of the vague ones if there are some. So many different texts push out neither what waited before nor all that comes next.
 */
function dropMostAlike(queue: Waiting[], random: () => number): void {
  const alike = [findMostAlike(queue, 'error'), findMostAlike(queue, 'place')];
  const half = [...queue.keys()].slice(halfQueue);
  const vague = half.filter((at) => queue[at]?.isVague);
  const chosen = vague.length > 0 ? vague : half;
  const { last } = alike.find(({ count }) => count > fewAlike) ?? {
    last: chosen[Math.floor(random() * chosen.length)] ?? 0,
  };
  for (const { settle } of queue.splice(last, 1)) settle('lost');
}

/** Never rejects. */
async function postErrors(
  batch: readonly Sent[],
  to: RecorderAddress | undefined,
  post: typeof fetch,
): Promise<Outcome> {
  if (!to) return { type: 'failed', reason: 'it is not running' };
  try {
    const response = await post(toUrl(to), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${to.key}` },
      body: `{"errors":[${batch.map(({ json }) => json).join(',')}]}`,
      signal: AbortSignal.timeout(answerDeadlineMs),
      redirect: 'error',
    });
    const text = await response.text();
    if (response.ok) return { type: 'sent' };
    const reason = describeAnswer(response.status, text);
    const isLater = response.status >= 500 || response.status === 429;
    const waitMs = readWait(response);
    const type = isLater ? 'failed' : ofBody.has(response.status) ? 'malformed' : 'refused';
    return { type, reason, ...(waitMs === undefined ? {} : { waitMs }) };
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

export function createSender(options: SenderOptions): Sender {
  const {
    address,
    warn,
    retryMs = retryDelaysMs,
    gatherMs = gatherForMs,
    fetch: post = fetch,
    random = Math.random,
  } = options;
  const queue: Waiting[] = [];
  const { pause, hold } = createPauses();
  let running: Promise<void> | undefined;
  let isWarned = false;
  /** The last try failed, and the next one has not been answered. */
  let isAway = false;

  function warnOnce(message: string): void {
    if (isWarned) return;
    isWarned = true;
    warn(`[flight-recorder] ${message}`);
  }

  function readAddress(): RecorderAddress | undefined {
    return typeof address === 'function' ? address() : address;
  }

  function nameRecorder(): string {
    const to = readAddress();
    return to ? `The recorder at ${to.base}` : 'The recorder';
  }

  async function deliver(batch: readonly Sent[]): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await postErrors(batch, readAddress(), post);
      isAway = outcome.type === 'failed';
      switch (outcome.type) {
        case 'sent':
          settleAll(batch, 'stored');
          // An app that goes on failing faster than it can tell is warned once, not after every batch.
          if (queue.length === 0) isWarned = false;
          return;
        case 'malformed':
        case 'refused':
          // One that is not taken costs no other: its text may be a stranger's.
          if (outcome.type === 'malformed' && batch.length > 1) {
            for (const one of batch) await deliver([one]);
            return;
          }
          settleAll(batch, 'lost');
          warnOnce(`${nameRecorder()} refuses the errors of "${readAddress()?.app ?? ''}": ${outcome.reason}`);
          return;
        case 'failed': {
          const delay = retryMs[tries];
          // Nobody who waits for one of them should wait for the next try.
          settleAll(batch, delay === undefined ? 'lost' : 'waiting');
          settleAll(queue, 'waiting');
          if (delay === undefined) {
            warnOnce(
              `${nameRecorder()} did not take errors (${outcome.reason}): ` +
                `${batch.length === 1 ? 'one is' : `${batch.length} are`} lost. The app goes on without it.`,
            );
            return;
          }
          await pause(Math.max(delay, outcome.waitMs ?? 0));
        }
      }
    }
  }

  async function run(): Promise<void> {
    await (gatherMs > 0 ? pause(gatherMs) : undefined);
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      if (batch.length > 0) await deliver(batch);
    }
    running = undefined;
  }

  return {
    send(complete, { digest = '', stack = '', isVague = false } = {}) {
      return new Promise((settle) => {
        const place = readPlace(stack);
        queue.push({ complete, settle, place, error: `${digest} ${place}`, isVague });
        if (isAway) settle('waiting');
        running ??= run();
        if (queue.length <= queueLimit) return;
        const to = readAddress();
        warnOnce(
          `More than ${queueLimit} errors wait for the recorder${to ? ` at ${to.base}` : ''}: some that are alike are lost.`,
        );
        dropMostAlike(queue, random);
      });
    },
    async settle() {
      const release = hold();
      while (running) await running;
      release();
    },
  };
}
