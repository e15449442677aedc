import { existsSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { describeError } from '#boundary';
import type { KnownSecret } from '#flight';
import { withVariables } from '#src/server/environment/variables.ts';
import type { Telemetry, TelemetryOptions } from '#src/flights/telemetry/start-telemetry.ts';

import type { FlightWriter } from './flight-writer.ts';
import type { WriterAnswer, WriterData, WriterMessage, WriterRequest } from './messages.ts';
import { readOwnSecrets } from './own-secrets.ts';
import { openSqliteWriter } from './open-sqlite-writer.ts';
import type { Shipping, ShippingNote, Spool } from './ship-flights.ts';
import { createWriteRequest, type WriteProgress, type WriteRequest } from './write-request.ts';
import type { TellFlights } from './written.ts';

/**
 * The thread that writes flights. It imports nothing that serves pages. In development Node runs it from its sources, so it
 * imports only modules of plain rooms (scripts/server-rooms.mjs).
 */

/** Age is checked this often; a batch of deletions is a few milliseconds, the pause leaves room for writes. */
const ageCheckMs = 60_000;
const pauseMs = 20;

/** Of 19: pages come first when the processor is busy. What then cannot be written in time is counted as dropped. */
const niceness = 10;
const ownThread = '/proc/thread-self';

/** Lowers this thread's priority. On Linux a thread has one of its own, under the number by which the system knows it. */
function yieldToPages(): void {
  if (!existsSync(ownThread)) return;
  const number = Number(path.basename(readlinkSync(ownThread)));
  if (number > 0) setPriority(number, niceness);
}

/**
 * How long what arrived waits for PostgreSQL: the minute in which a server is started again, or a standby is promoted. What waits is
 * within the memory of all recordings (budget.ts). An operator who deletes something is told soon.
 */
const patienceMs = { write: 60_000, other: 5_000 };

/** What is sent on is looked at where it is kept, and there the app's environment is not known. */
function readKnownSecrets(): KnownSecret[] {
  return readOwnSecrets(withVariables(), process.cwd());
}

type Arrived = { readonly request: WriterRequest; readonly at: number };

type Opened = { readonly writer: FlightWriter; readonly spool?: Spool };

type Telling = {
  readonly tell: (message: WriterMessage) => void;
  readonly tellFlights: TellFlights | undefined;
  readonly isPatient: () => boolean;
};

async function openWriter(data: WriterData, { tell, tellFlights, isPatient }: Telling): Promise<Opened> {
  const { database, shipTo } = data;
  if (database === undefined || shipTo) {
    const opened = openSqliteWriter({
      ...data,
      knownSecrets: shipTo ? undefined : readKnownSecrets(),
      onDamage: (reason) => tell({ type: 'moved-aside', reason }),
      tell: tellFlights,
    });
    return { writer: opened, spool: opened };
  }
  const { openPostgresWriter } = await import('./postgres/open-postgres-writer.ts');
  const onGone = (reason: string | undefined) =>
    tell({ type: 'database', isGone: reason !== undefined, reason: reason ?? '' });
  return {
    writer: openPostgresWriter({
      ...data,
      url: database,
      knownSecrets: readKnownSecrets(),
      isPatient,
      onGone,
      tell: tellFlights,
    }),
  };
}

type Others = { readonly telemetry: () => Telemetry | undefined; readonly shipping: () => Shipping | undefined };

/** @returns what does what it is asked, and never throws */
function createAttempt(writer: FlightWriter, { telemetry, shipping }: Others) {
  const writeRequest = createWriteRequest(writer);

  async function write(request: WriteRequest, progress: WriteProgress): Promise<void> {
    await writeRequest(request, progress);
    shipping()?.plan();
  }

  function run(request: WriterRequest, progress: WriteProgress): void | Promise<void> {
    switch (request.type) {
      case 'write':
        return write(request, progress);
      case 'note':
        return writer.note(request.notes);
      case 'losses':
        return writer.addLosses(request.losses);
      case 'installed':
        return writer.keepInstalled(request.app, request.packages);
      case 'kept':
        return writer.keepRecord(request.app, request.record);
      case 'modules':
        return writer.keepModules(request.app, request.build, request.files);
      case 'spans':
        return writer.keepSpans(request.app, request.parts, Date.now());
      case 'delete':
        return writer.delete(request.id);
      case 'delete-all':
        return writer.deleteAll();
      case 'delete-app':
        return writer.deleteSlice(request.app, request.upTo);
      case 'empty-log':
        return writer.emptyLog();
      case 'replace':
        return writer.replaceDamaged(request.inode);
      case 'tell-errors':
        return telemetry()?.tellErrors(request.errors);
      case 'close':
        return undefined;
    }
  }

  return async function attempt(request: WriterRequest): Promise<WriterAnswer> {
    const progress: WriteProgress = { kept: 0, unreadable: { count: 0, reason: '' } };
    try {
      await writer.prepare();
      await run(request, progress);
      const { unreadable } = progress;
      return { type: 'done', state: await writer.readState(), written: writer.takeWritten(), unreadable };
    } catch (error) {
      writer.recover(error);
      return {
        type: 'failed',
        reason: describeError(error),
        ...progress,
        written: writer.takeWritten(),
        lossReason: writer.lossReason,
      };
    }
  };
}

async function serve(port: MessagePort, data: WriterData): Promise<void> {
  function tell(message: WriterMessage): void {
    port.postMessage(message);
  }

  let telemetry: Telemetry | undefined;
  let arrived: Arrived | undefined;
  let isClosing = false;

  /** Whether the request that is being answered can wait longer. What nobody asked for is tried again by itself. */
  function isPatient(): boolean {
    if (isClosing || !arrived) return false;
    const { type } = arrived.request;
    const patience = type === 'write' || type === 'note' ? patienceMs.write : patienceMs.other;
    return performance.now() - arrived.at < patience;
  }

  const tellFlights: TellFlights | undefined = data.telemetry && ((flights) => telemetry?.tellFlights(flights));
  const { writer, spool } = await openWriter(data, { tell, tellFlights, isPatient });
  const attempt = createAttempt(writer, { telemetry: () => telemetry, shipping: () => shipping });

  const age = new Float64Array(data.age);
  let shipping: Shipping | undefined;
  let isWaiting = false;

  /** Tells once, when a wait begins to delay deletions. */
  async function tellWait(until: number): Promise<void> {
    const flights = until === 0 ? 0 : await writer.countTooOld(Date.now());
    if (flights > 0 && !isWaiting) tell({ type: 'waits', flights, until });
    isWaiting = flights > 0;
  }

  async function deleteTooOld(): Promise<void> {
    arrived = undefined;
    try {
      const [now = 0, until = 0] = age;
      await writer.prepare();
      if (await writer.deleteTooOld(now)) setTimeout(checkAge, pauseMs).unref();
      else await tellWait(until);
    } catch {
      // A full disk, damage, or no database: the next write fails too, and reports it.
    }
  }

  async function answer(one: Arrived): Promise<void> {
    const { request } = one;
    arrived = one;
    if (request.type === 'close') await shipping?.stop();
    tell({ type: 'answer', answer: await attempt(request) });
    if (request.type !== 'close') return;
    await writer.close();
    await telemetry?.stop();
    port.close();
    // What the collector has not answered by now would keep the thread, and with it the process.
    if (telemetry) process.exit();
  }

  /** A thread that cannot tell others still writes. */
  async function openTelemetry(): Promise<void> {
    if (!data.telemetry) return;
    const onFailure: TelemetryOptions['onFailure'] = (signal, reason) => {
      tell({ type: 'telemetry-failed', signal, reason });
    };
    try {
      const { startTelemetry } = await import('#src/flights/telemetry/start-telemetry.ts');
      telemetry = startTelemetry({ ...data.telemetry, onFailure });
    } catch (error) {
      onFailure('traces', `it did not start: ${describeError(error)}`);
    }
  }

  async function open(): Promise<void> {
    await openTelemetry();
    if (data.shipTo && spool) {
      const { startShipping } = await import('./ship-flights.ts');
      shipping = startShipping(data.shipTo, spool, (note: ShippingNote) => tell({ type: 'shipping', note }));
    }
    // A file whose first page is whole opens although it is damaged, and fails here.
    const opened = await attempt({ type: 'note', notes: [] });
    if (opened.type === 'done') tell({ type: 'opened', state: opened.state });
  }

  // One after the other, in the order in which they came: decoding waits for zlib's threads, and PostgreSQL answers later.
  let latest = open();
  function checkAge(): void {
    latest = latest.then(deleteTooOld);
  }
  setInterval(checkAge, ageCheckMs).unref();
  checkAge();
  port.on('message', (request: WriterRequest) => {
    const one = { request, at: performance.now() };
    isClosing ||= request.type === 'close';
    latest = latest.then(() => answer(one));
  });
}

if (parentPort) {
  yieldToPages();
  await serve(parentPort, workerData);
}
