import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import type { FlightHead } from '../flight-head.ts';
import { createFlightWriter, type FlightEntry } from './flight-writer.ts';
import type { WriterAnswer, WriterData, WriterMessage, WriterRequest } from './messages.ts';
import { isDamage } from './open-flights.ts';

/**
 * The thread that writes flights. It imports nothing that serves pages, and in development Node runs it from its
 * sources, so its modules import each other alone.
 */
type Write = Extract<WriterRequest, { readonly type: 'write' }>;

/** Age is checked this often; a batch of deletions is a few milliseconds, the pause leaves room for writes. */
const ageCheckMs = 60_000;
const pauseMs = 20;

function readEntries({ slabs, entries }: Write): FlightEntry[] {
  return entries.map(([slab, offset, headLength, payload, debug, args]) => {
    const bytes = Buffer.from(slabs[slab] ?? new ArrayBuffer(0));
    const head: FlightHead = JSON.parse(bytes.toString('utf8', offset, offset + headLength));
    let at = offset + headLength;
    function take(length: number): Uint8Array {
      at += length;
      return bytes.subarray(at - length, at);
    }
    return { head, payload: take(payload), debug: take(debug), args: take(args) };
  });
}

function serve(port: MessagePort, data: WriterData): void {
  function tell(message: WriterMessage, slabs: readonly ArrayBuffer[] = []): void {
    port.postMessage(message, [...slabs]);
  }

  const writer = createFlightWriter({ ...data, onDamage: (reason) => tell({ type: 'moved-aside', reason }) });

  function run(request: WriterRequest): void {
    switch (request.type) {
      case 'write':
        return writer.write(readEntries(request));
      case 'note':
        return writer.note(request.notes);
      case 'delete':
        return writer.delete(request.id);
      case 'delete-all':
        return writer.deleteAll();
      case 'replace':
        return writer.replace();
      case 'close':
        return undefined;
    }
  }

  function attempt(request: WriterRequest): WriterAnswer {
    const slabs = request.type === 'write' ? request.slabs : [];
    try {
      run(request);
      return { type: 'done', state: writer.readState(), slabs };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isDamage(error)) {
        writer.replace();
        tell({ type: 'moved-aside', reason });
      }
      return { type: 'failed', reason, slabs };
    }
  }

  function deleteTooOld(): void {
    try {
      if (writer.deleteTooOld(Date.now())) setTimeout(deleteTooOld, pauseMs).unref();
    } catch {
      // A full disk, or damage: the next write meets it too, and is answered for.
    }
  }

  port.on('message', (request: WriterRequest) => {
    const answer = attempt(request);
    tell({ type: 'answer', answer }, answer.slabs);
    if (request.type !== 'close') return;
    writer.close();
    port.close();
  });
  setInterval(deleteTooOld, ageCheckMs).unref();
  deleteTooOld();
  tell({ type: 'opened', state: writer.readState() });
}

if (parentPort) serve(parentPort, workerData);
