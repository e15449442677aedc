import { existsSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { describeError } from '#boundary';
import type { KnownSecret } from '#flight';
import { withVariables } from '#src/server/environment/variables.ts';
import type { Telemetry, TelemetryOptions } from '#src/flights/telemetry/start-telemetry.ts';

import type { Exchange } from '../watch/exchange.ts';
import type { DescribedExchange } from './exchange/describe-exchange.ts';
import { unpackExchanges } from './exchange/unpack-exchanges.ts';
import type { FlightEntry, MeasureHtml } from './flight-values.ts';
import type { FlightWriter } from './flight-writer.ts';
import {
  numbersPerEntry,
  type Unreadable,
  type WriterAnswer,
  type WriterData,
  type WriterMessage,
  type WriterRequest,
} from './messages.ts';
import { readOwnSecrets } from './own-secrets.ts';
import { openSqliteWriter } from './open-sqlite-writer.ts';
import type { Shipping, ShippingNote, Spool } from './ship-flights.ts';
import { hasDocuments, unpackEntries } from './unpack-entries.ts';
import { isOfOneFlight, writeInParts } from './write-in-parts.ts';
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
/** Payloads of decoded responses in memory before they are written: a compressed batch may hold a thousand times its size. */
const groupBytes = 4 * 1024 * 1024;
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

  async function openWriter(): Promise<{ readonly writer: FlightWriter; readonly spool?: Spool }> {
    const { database, shipTo } = data;
    const tellFlights: TellFlights | undefined = data.telemetry && ((flights) => telemetry?.tellFlights(flights));
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

  const { writer, spool } = await openWriter();

  const age = new Float64Array(data.age);
  let describeExchange: ((exchange: Exchange) => Promise<DescribedExchange>) | undefined;
  let measureHtml: MeasureHtml | undefined;
  let shipping: Shipping | undefined;
  let isWaiting = false;

  /** Of the request that is being answered. */
  let kept = 0;
  let unreadable: Unreadable = { count: 0, reason: '' };

  function giveUp(error: unknown): void {
    unreadable = { count: unreadable.count + 1, reason: unreadable.reason || describeError(error) };
  }

  async function writeExchanges(request: Extract<WriterRequest, { type: 'write' }>): Promise<void> {
    let group: DescribedExchange[] = [];
    let bytes = 0;
    async function writeGroup(): Promise<void> {
      const written = group;
      group = [];
      const add = async (some: readonly DescribedExchange[]) => {
        if (some.length > 0) await writer.writeExchanges(some);
        kept += some.filter(({ isAnswered }) => isAnswered).length;
      };
      await writeInParts(written, add, giveUp);
      bytes = 0;
    }
    // Loaded when another app is recorded: with the decoder it is most of what this thread could load.
    describeExchange ??= (await import('./exchange/describe-exchange.ts')).createExchangeReader();
    for (const exchange of unpackExchanges(request)) {
      let described: DescribedExchange;
      try {
        described = await describeExchange(exchange);
      } catch (error) {
        // A stranger decides what is in a response's address and headers: the responses of others are written nevertheless.
        if (exchange.facts.outcome !== 'begun') giveUp(error);
        continue;
      }
      group.push(described);
      for (const { payload, args } of described.entries) bytes += payload.length + args.length;
      if (bytes > groupBytes) await writeGroup();
    }
    await writeGroup();
  }

  async function writeEntries(request: Extract<WriterRequest, { type: 'write' }>): Promise<void> {
    try {
      await writer.write(unpackEntries(request), measureHtml);
      kept += request.entries.length / numbersPerEntry;
    } catch (error) {
      if (!isOfOneFlight(error)) throw error;
      const add = async (some: readonly FlightEntry[]) => {
        await writer.write(some, measureHtml);
        kept += some.length;
      };
      await writeInParts([...unpackEntries(request)], add, giveUp);
    }
  }

  async function write(request: Extract<WriterRequest, { type: 'write' }>): Promise<void> {
    // Loaded with the first prerendered document: the thread's start does not wait for it.
    if (!measureHtml && hasDocuments(request)) ({ measureHtml } = await import('./measure-html.ts'));
    if (request.entries.length > 0) await writeEntries(request);
    if (request.exchanges.length > 0) await writeExchanges(request);
    shipping?.plan();
  }

  function run(request: WriterRequest): void | Promise<void> {
    switch (request.type) {
      case 'write':
        return write(request);
      case 'note':
        return writer.note(request.notes);
      case 'losses':
        return writer.addLosses(request.losses);
      case 'installed':
        return writer.keepInstalled(request.app, request.packages);
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
        return telemetry?.tellErrors(request.errors);
      case 'close':
        return undefined;
    }
  }

  async function attempt(request: WriterRequest): Promise<WriterAnswer> {
    kept = 0;
    unreadable = { count: 0, reason: '' };
    try {
      await writer.prepare();
      await run(request);
      return { type: 'done', state: await writer.readState(), written: writer.takeWritten(), unreadable };
    } catch (error) {
      writer.recover(error);
      return {
        type: 'failed',
        reason: describeError(error),
        kept,
        written: writer.takeWritten(),
        lossReason: writer.lossReason,
        unreadable,
      };
    }
  }

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
