import { Worker } from 'node:worker_threads';

import type { FlightChunk } from '#src/runtime/renderer/flight.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { openCounts, type Signal } from '#src/flights/telemetry/counts.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';

import { createBatch, createSlabPool, type Batch } from './batch.ts';
import type { Budget } from '../flight/budget.ts';
import type { Drops } from '../flight/drops.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import type { TracePart } from '../traces/pack-spans.ts';
import type { Exchange } from '../watch/exchange.ts';
import type { UsageNote, WriterState } from '../writer/flight-writer.ts';
import type { ShippingNote } from '../writer/ship-flights.ts';
import type { WriterAnswer, WriterData, WriterMessage, WriterRequest } from '../writer/messages.ts';
import { chooseWriterTelemetry } from './writer-telemetry.ts';
import { noteWritten } from './flight-counts.ts';

/**
 * The writer, as the serving thread sees it: batches go out, answers come back. A recording is expendable, so nothing here throws
 * and no page waits for it; what cannot be written is counted. When the thread ends, another is started.
 */
export type WriteFlights = {
  /** False when there is no memory for it. */
  readonly add: (
    head: FlightHead,
    body: { payload: readonly FlightChunk[]; debug: readonly FlightChunk[]; args: Uint8Array },
  ) => boolean;
  /** The same for a response of another app. */
  readonly addExchange: (exchange: Exchange) => boolean;
  /** As what a flight counts for which there was no memory: what waits may be waiting for a database that is gone. */
  readonly fullReason: () => 'memory' | 'database';
  readonly isNewEtag: (etag: string) => boolean;
  /** Plans to send a batch, to which `onSending` will add something. */
  readonly plan: () => void;
  readonly note: (note: UsageNote) => void;
  /** Without memory for them they are left out: then flights are, too, and those are counted. */
  readonly addSpans: (app: string, spans: TracePart) => void;
  /** Tells others of errors that were stored, where anybody is told. */
  readonly tellErrors: (errors: readonly ExportedError[]) => void;
  /** Sends what waits and runs `request` after it. @throws with the writer's reason */
  readonly ask: (
    request: Exclude<WriterRequest, { type: 'write' | 'note' | 'tell-errors' | 'close' }>,
  ) => Promise<void>;
  /** Resolves when everything added so far is in the file, or counted as lost. False when some of what waited was lost. */
  readonly flush: () => Promise<boolean>;
  readonly state: () => WriterState | undefined;
  /** Writes what waits, then ends the thread. */
  readonly close: () => Promise<void>;
};

/** A quarter of the second that a crash may cost; the writer needs a few milliseconds of the rest. */
const batchMs = 250;
/** Browsers' notes for one batch: those of some 4,000 closed pages a second. More than that are not genuine. */
const notesLimit = 1_000;
/** Stored errors for one batch. Each holds up to 50 KB; the thread keeps no more waiting either. */
const errorsLimit = 512;
/** A thread that ends at once, again and again, is not started more often than this. */
const restartMs = 1_000;
/** A disk that stays full fails every batch. */
const logEveryMs = 60_000;
/** The thread needs memory for a batch, its parsed heads and SQLite's cache. */
const threadHeapMib = 128;
/**
 * Node's default is 48, all of which stays resident. A batch's objects are short-lived, and no page waits for this thread's collections.
 */
const threadYoungMib = 4;

const nothingDone = { kept: 0, written: [], lossReason: 'disk', unreadable: { count: 0, reason: '' } } as const;

/** A letter may take two bytes. */
function measureSpans({ text }: TracePart): number {
  return text.length * 2;
}

type Waiting = {
  readonly flights: number;
  readonly slabs: readonly SharedArrayBuffer[];
  readonly resolve: (answer: WriterAnswer) => void;
};

export type WriteFlightsOptions = {
  readonly data: WriterData;
  readonly budget: Budget;
  readonly drops: Drops;
  /** False while the disk is full: what little room is left is for signing in and deleting. */
  readonly hasRoom: () => boolean;
  /** Called before a batch is sent: what it adds is in this batch. */
  readonly onSending: () => void;
  /** Called after flights were committed. */
  readonly onWritten: (state: WriterState) => void;
};

function startThread(workerData: WriterData): Worker {
  const thread = new Worker(new URL('../writer/writer-thread.ts', import.meta.url), {
    workerData,
    // Node 24 says of SQLite that it is experimental, in more than one line.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: threadHeapMib, maxYoungGenerationSizeMb: threadYoungMib },
  });
  thread.unref();
  return thread;
}

type ThreadHandlers = {
  readonly onAnswer: (answer: WriterAnswer) => void;
  readonly onState: (state: WriterState) => void;
  readonly onDatabase: (isGone: boolean) => void;
  readonly onEnd: (reason: string) => void;
};

/** By signal: a collector that is away fails every batch. */
const telemetryLoggedAt = new Map<Signal, number>();

function onTelemetryFailure(signal: Signal, reason: string): void {
  const now = performance.now();
  if (now - (telemetryLoggedAt.get(signal) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return;
  telemetryLoggedAt.set(signal, now);
  writeLog('warn', 'telemetry-not-sent', { signal, reason });
}

function logShipping(note: ShippingNote): void {
  switch (note.type) {
    case 'waiting':
      return writeLog('warn', 'flights-not-sent', { reason: note.reason });
    case 'sending':
      return writeLog('info', 'flights-sent-again', {});
    case 'lost':
      return writeLog('warn', 'flights-not-taken', { count: note.count, reason: note.reason });
  }
}

function connectThread(thread: Worker, { onAnswer, onState, onDatabase, onEnd }: ThreadHandlers): void {
  let reason = 'the writing thread has ended';
  thread.on('message', (message: WriterMessage) => {
    switch (message.type) {
      case 'opened':
        return onState(message.state);
      case 'database':
        onDatabase(message.isGone);
        if (message.isGone) return writeLog('warn', 'flights-wait', { reason: message.reason });
        return writeLog('info', 'flights-written-again', {});
      case 'moved-aside':
        return writeLog('warn', 'recording-begun-anew', { reason: message.reason });
      case 'waits':
        return writeLog('warn', 'retention-waits', {
          flights: message.flights,
          until: new Date(message.until).toISOString(),
          reason: 'the clock was set, or the server was off for long',
        });
      case 'shipping':
        return logShipping(message.note);
      case 'telemetry-failed':
        return onTelemetryFailure(message.signal, message.reason);
      case 'answer':
        return onAnswer(message.answer);
    }
  });
  thread.on('error', (error) => {
    reason = describeError(error);
  });
  thread.on('exit', () => onEnd(reason));
}

type ThreadOptions = Pick<WriteFlightsOptions, 'drops' | 'onWritten'> & {
  readonly data: WriterData;
  readonly pool: ReturnType<typeof createSlabPool>;
};

/** The thread, which is started again when it has ended, and what it was asked and has not answered. */
function createThreadPort({ data, pool, drops, onWritten }: ThreadOptions) {
  let waiting: Waiting[] = [];
  let state: WriterState | undefined;
  let thread: Worker | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** Answers come in order: when this one is there, all are. */
  let latest: Promise<WriterAnswer> | undefined;
  /** Requests with flights in them that failed. */
  let losses = 0;
  let fullReason: ReturnType<WriteFlights['fullReason']> = 'memory';

  function logFailure(reason: string): void {
    if (performance.now() - loggedAt < logEveryMs) return;
    loggedAt = performance.now();
    writeLog('error', 'flights-not-written', { reason });
  }

  function settle(answer: WriterAnswer): void {
    const next = waiting.shift();
    pool.give(next?.slabs ?? []);
    noteWritten(answer.written);
    const { unreadable } = answer;
    if (unreadable.count > 0) {
      drops.count('unreadable', unreadable.count);
      logFailure(unreadable.reason);
    }
    switch (answer.type) {
      case 'done':
        state = answer.state;
        if (next && next.flights > 0) onWritten(answer.state);
        break;
      case 'failed':
        if (next) drops.count(answer.lossReason, next.flights - answer.kept - unreadable.count);
        if (next && next.flights > 0) losses += 1;
        logFailure(answer.reason);
    }
    next?.resolve(answer);
  }

  function loseThread(reason: string): void {
    const lost = waiting;
    waiting = [];
    thread = undefined;
    fullReason = 'memory';
    endedAt = performance.now();
    for (const { flights, slabs, resolve } of lost) {
      if (flights > 0) losses += 1;
      drops.count('thread', flights);
      pool.give(slabs);
      resolve({ type: 'failed', reason, ...nothingDone });
    }
    if (!isClosed) logFailure(reason);
  }

  function ensureThread(): Worker | undefined {
    if (thread) return thread;
    if (isClosed || performance.now() - endedAt < restartMs) return undefined;
    thread = startThread(data);
    connectThread(thread, {
      onAnswer: settle,
      onState: (opened) => (state = opened),
      onDatabase: (isGone) => (fullReason = isGone ? 'database' : 'memory'),
      onEnd: loseThread,
    });
    return thread;
  }

  async function send(
    request: WriterRequest,
    flights = 0,
    slabs: readonly SharedArrayBuffer[] = [],
  ): Promise<WriterAnswer> {
    const port = ensureThread();
    if (!port) {
      if (flights > 0) losses += 1;
      drops.count('thread', flights);
      pool.give(slabs);
      return { type: 'failed', reason: 'the writing thread is not running', ...nothingDone };
    }
    const answer = new Promise<WriterAnswer>((resolve) => {
      waiting.push({ flights, slabs, resolve });
      port.postMessage(request);
    });
    latest = answer;
    return await answer;
  }

  return {
    send,
    logFailure,
    state: () => state,
    fullReason: () => fullReason,
    losses: () => losses,
    /** Of all that were sent and not answered: some of them may have been sent before `lossesBefore` was read. */
    async waitForAll(lossesBefore: number): Promise<boolean> {
      await latest;
      return losses === lossesBefore;
    },
    async close(): Promise<void> {
      if (!thread) return;
      // Until now the thread did not keep the process alive. Now the process waits for its last writes.
      thread.ref();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      thread.once('exit', () => resolve());
      const closing = send({ type: 'close' });
      isClosed = true;
      await closing;
      await ended;
    },
  };
}

export function createWriteFlights({
  data,
  budget,
  drops,
  hasRoom,
  onSending,
  onWritten,
}: WriteFlightsOptions): WriteFlights {
  const pool = createSlabPool(budget);
  const telemetry = chooseWriterTelemetry(data);
  const { send, logFailure, waitForAll, ...port } = createThreadPort({
    data: { ...data, telemetry },
    pool,
    drops,
    onWritten,
  });
  let batch: Batch = createBatch(pool);
  let notes: UsageNote[] = [];
  let spans = new Map<string, TracePart[]>();
  let errors: ExportedError[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function sendSpans(isWanted: boolean): Promise<void> {
    const taken = spans;
    spans = new Map();
    await Promise.all(
      Array.from(taken, async ([app, parts]) => {
        if (isWanted) await send({ type: 'spans', app, parts });
        budget.give(parts.reduce((sum, part) => sum + measureSpans(part), 0));
      }),
    );
  }

  async function flush(): Promise<boolean> {
    const lossesBefore = port.losses();
    onSending();
    clearTimeout(timer);
    timer = undefined;
    const flights = batch.size();
    const { slabs, shapes, entries, exchanges } = batch.close();
    const [noted, told] = [notes, errors];
    [notes, errors] = [[], []];
    batch = createBatch(pool);
    // These take no room in the file.
    if (told.length > 0) void send({ type: 'tell-errors', errors: told });
    const isRoom = hasRoom();
    void sendSpans(isRoom);
    if (!isRoom) {
      drops.count('disk', flights);
      drops.count('usage', noted.length);
      pool.give(slabs);
      logFailure('the disk is full');
      return false;
    }
    if (slabs.length > 0) void send({ type: 'write', slabs, shapes, entries, exchanges }, flights, slabs);
    if (noted.length > 0) void send({ type: 'note', notes: noted });
    return waitForAll(lossesBefore);
  }

  function plan(): void {
    if (batch.isLarge()) void flush();
    // The process may end before: `close` sends what waits.
    else timer ??= setTimeout(() => void flush(), batchMs).unref();
  }

  return {
    add(head, { payload, debug, args }) {
      const isAdded = batch.add(head, payload, debug, args);
      plan();
      return isAdded;
    },
    addExchange(exchange) {
      const isAdded = batch.addExchange(exchange);
      plan();
      return isAdded;
    },
    fullReason: port.fullReason,
    isNewEtag: (etag) => batch.isNewEtag(etag),
    plan,
    note(note) {
      if (notes.length >= notesLimit) return drops.count('usage', 1);
      notes.push(note);
      plan();
    },
    addSpans(app, part) {
      if (!budget.take(measureSpans(part))) return;
      const others = spans.get(app);
      if (others) others.push(part);
      else spans.set(app, [part]);
      plan();
    },
    tellErrors(stored) {
      if (!telemetry?.settings.logs) return;
      const room = errorsLimit - errors.length;
      errors.push(...stored.slice(0, room));
      if (stored.length > room) openCounts(telemetry.counts).add('logs', 'dropped', stored.length - Math.max(0, room));
      plan();
    },
    async ask(request) {
      const [, answer] = await Promise.all([flush(), send(request)]);
      if (answer.type === 'failed') throw new Error(`The recording could not be changed: ${answer.reason}`);
    },
    flush,
    state: port.state,
    async close() {
      await flush();
      await port.close();
    },
  };
}
