import { describeError } from '#boundary';

import type { Exchange } from '../watch/exchange.ts';
import type { DescribedExchange } from './exchange/describe-exchange.ts';
import { unpackExchanges } from './exchange/unpack-exchanges.ts';
import type { FlightEntry, MeasureHtml } from './flight-values.ts';
import type { FlightWriter } from './flight-writer.ts';
import { numbersPerEntry, type Unreadable, type WriterRequest } from './messages.ts';
import { hasDocuments, unpackEntries } from './unpack-entries.ts';
import { isOfOneFlight, writeInParts } from './write-in-parts.ts';

/**
 * Writes what the recorder sent in one message: its own responses, and those of other apps, which are decoded here. A response that
 * cannot be read is given up alone. The others are written.
 */
export type WriteRequest = Extract<WriterRequest, { type: 'write' }>;

/** Filled meanwhile: after a failure it says how far it came. */
export type WriteProgress = { kept: number; unreadable: Unreadable };

/** Payloads of decoded responses in memory before they are written: a compressed batch may hold a thousand times its size. */
const groupBytes = 4 * 1024 * 1024;

function giveUp(progress: WriteProgress, error: unknown): void {
  const { count, reason } = progress.unreadable;
  progress.unreadable = { count: count + 1, reason: reason || describeError(error) };
}

export function createWriteRequest(writer: FlightWriter) {
  let describeExchange: ((exchange: Exchange) => Promise<DescribedExchange>) | undefined;
  let measureHtml: MeasureHtml | undefined;

  async function writeExchanges(request: WriteRequest, progress: WriteProgress): Promise<void> {
    let group: DescribedExchange[] = [];
    let bytes = 0;
    async function writeGroup(): Promise<void> {
      const written = group;
      group = [];
      const add = async (some: readonly DescribedExchange[]) => {
        if (some.length > 0) await writer.writeExchanges(some);
        progress.kept += some.filter(({ isAnswered }) => isAnswered).length;
      };
      await writeInParts(written, add, (reason) => giveUp(progress, reason));
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
        if (exchange.facts.outcome !== 'begun') giveUp(progress, error);
        continue;
      }
      group.push(described);
      for (const { payload, args } of described.entries) bytes += payload.length + args.length;
      if (bytes > groupBytes) await writeGroup();
    }
    await writeGroup();
  }

  async function writeEntries(request: WriteRequest, progress: WriteProgress): Promise<void> {
    try {
      await writer.write(unpackEntries(request), measureHtml);
      progress.kept += request.entries.length / numbersPerEntry;
    } catch (error) {
      if (!isOfOneFlight(error)) throw error;
      const add = async (some: readonly FlightEntry[]) => {
        await writer.write(some, measureHtml);
        progress.kept += some.length;
      };
      await writeInParts([...unpackEntries(request)], add, (reason) => giveUp(progress, reason));
    }
  }

  /** @throws the database's error */
  return async (request: WriteRequest, progress: WriteProgress): Promise<void> => {
    // Loaded with the first prerendered document: the thread's start does not wait for it.
    if (!measureHtml && hasDocuments(request)) ({ measureHtml } = await import('./measure-html.ts'));
    if (request.entries.length > 0) await writeEntries(request, progress);
    if (request.exchanges.length > 0) await writeExchanges(request, progress);
  };
}
