import { existsSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { describeError } from '#src/http/describe-error.ts';
import { isDamage } from '#src/store/sqlite-errors.ts';

import type { Exchange } from '../watch/exchange.ts';
import type { DescribedExchange } from './exchange/describe-exchange.ts';
import { unpackExchanges } from './exchange/unpack-exchanges.ts';
import { createFlightWriter } from './flight-writer.ts';
import type { MeasureHtml } from './insert-flight.ts';
import {
  numbersPerEntry,
  type WriterAnswer,
  type WriterData,
  type WriterMessage,
  type WriterRequest,
} from './messages.ts';
import type { Shipping, ShippingNote } from './ship-flights.ts';
import { hasDocuments, unpackEntries } from './unpack-entries.ts';

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

/** On Linux a thread has a priority of its own, under the number by which the system knows it. */
function yieldToPages(): void {
  if (!existsSync(ownThread)) return;
  const number = Number(path.basename(readlinkSync(ownThread)));
  if (number > 0) setPriority(number, niceness);
}

function serve(port: MessagePort, data: WriterData): void {
  function tell(message: WriterMessage): void {
    port.postMessage(message);
  }

  const writer = createFlightWriter({ ...data, onDamage: (reason) => tell({ type: 'moved-aside', reason }) });

  const age = new Float64Array(data.age);
  let describeExchange: ((exchange: Exchange) => Promise<DescribedExchange>) | undefined;
  let measureHtml: MeasureHtml | undefined;
  let shipping: Shipping | undefined;
  let isWaiting = false;

  function replace(reason: string): void {
    writer.replace();
    tell({ type: 'moved-aside', reason });
  }

  /** Of the request that is being answered. */
  let kept = 0;

  async function writeExchanges(request: Extract<WriterRequest, { type: 'write' }>): Promise<void> {
    let group: DescribedExchange[] = [];
    let bytes = 0;
    function writeGroup(): void {
      if (group.length > 0) writer.writeExchanges(group);
      kept += group.length;
      group = [];
      bytes = 0;
    }
    // Loaded when another app is recorded: with the decoder it is most of what this thread could load.
    describeExchange ??= (await import('./exchange/describe-exchange.ts')).createExchangeReader();
    for (const exchange of unpackExchanges(request)) {
      const described = await describeExchange(exchange);
      group.push(described);
      for (const { payload, args } of described.entries) bytes += payload.length + args.length;
      if (bytes > groupBytes) writeGroup();
    }
    writeGroup();
  }

  async function write(request: Extract<WriterRequest, { type: 'write' }>): Promise<void> {
    // Loaded with the first prerendered document: the thread's start does not wait for it.
    if (!measureHtml && hasDocuments(request)) ({ measureHtml } = await import('./measure-html.ts'));
    if (request.entries.length > 0) writer.write(unpackEntries(request), measureHtml);
    kept += request.entries.length / numbersPerEntry;
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
      case 'delete':
        return writer.delete(request.id);
      case 'delete-all':
        return writer.deleteAll();
      case 'delete-app':
        return writer.deleteSlice(request.app, request.upTo);
      case 'empty-log':
        return writer.emptyLog();
      case 'replace':
        return writer.isInode(request.inode) ? replace('reading met damage') : undefined;
      case 'close':
        return undefined;
    }
  }

  async function attempt(request: WriterRequest): Promise<WriterAnswer> {
    kept = 0;
    try {
      writer.followFile();
      await run(request);
      return { type: 'done', state: writer.readState() };
    } catch (error) {
      const reason = describeError(error);
      if (isDamage(error)) replace(reason);
      return { type: 'failed', reason, kept };
    }
  }

  /** Tells once, when a wait begins to delay deletions. */
  function tellWait(until: number): void {
    const flights = until === 0 ? 0 : writer.countTooOld(Date.now());
    if (flights > 0 && !isWaiting) tell({ type: 'waits', flights, until });
    isWaiting = flights > 0;
  }

  function deleteTooOld(): void {
    try {
      const [now = 0, until = 0] = age;
      writer.followFile();
      if (writer.deleteTooOld(now)) setTimeout(deleteTooOld, pauseMs).unref();
      else tellWait(until);
    } catch {
      // A full disk, or damage: the next write fails too, and reports it.
    }
  }

  async function answer(request: WriterRequest): Promise<void> {
    if (request.type === 'close') await shipping?.stop();
    tell({ type: 'answer', answer: await attempt(request) });
    if (request.type !== 'close') return;
    writer.close();
    port.close();
  }

  async function open(): Promise<void> {
    if (data.shipTo) {
      const { startShipping } = await import('./ship-flights.ts');
      shipping = startShipping(data.shipTo, writer, (note: ShippingNote) => tell({ type: 'shipping', note }));
    }
    // A file whose first page is whole opens although it is damaged, and fails here.
    const opened = await attempt({ type: 'note', notes: [] });
    tell({ type: 'opened', state: opened.type === 'done' ? opened.state : writer.readState() });
  }

  setInterval(deleteTooOld, ageCheckMs).unref();
  deleteTooOld();
  // One request after the other, in the order in which they came: decoding waits for zlib's threads.
  let latest = open();
  port.on('message', (request: WriterRequest) => {
    latest = latest.then(() => answer(request));
  });
}

if (parentPort) {
  yieldToPages();
  serve(parentPort, workerData);
}
