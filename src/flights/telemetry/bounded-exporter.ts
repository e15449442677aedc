import { ExportResultCode, type ExportResult } from '@opentelemetry/core';

import type { Signal, TelemetryCounts } from './counts.ts';

/**
 * Counts what an exporter does with each batch, and bounds what waits for it. OpenTelemetry's batch processors bound their own queue,
 * too, and say of what they drop only that they did.
 */
type Exporter<Item> = {
  export: (items: Item[], done: (result: ExportResult) => void) => void;
  forceFlush?: () => Promise<void>;
  shutdown: () => Promise<void>;
};

export type Bounded<Item> = Required<Exporter<Item>> & {
  /** Whether one more may wait. When it may not, it is counted as dropped. */
  readonly admit: () => boolean;
};

export function boundExporter<Item>(
  inner: Exporter<Item>,
  signal: Signal,
  {
    counts,
    limit,
    onFailure,
  }: {
    readonly counts: TelemetryCounts;
    /** Handed to the processor and not answered yet. */
    readonly limit: number;
    readonly onFailure: (signal: Signal, reason: string) => void;
  },
): Bounded<Item> {
  function settle(count: number, { code, error }: ExportResult): void {
    counts.add(signal, 'waiting', -count);
    if (code === ExportResultCode.SUCCESS) return counts.add(signal, 'sent', count);
    counts.add(signal, 'failed', count);
    onFailure(signal, error?.message ?? 'the collector did not take them');
  }

  return {
    admit() {
      if (counts.read(signal, 'waiting') >= limit) {
        counts.add(signal, 'dropped', 1);
        return false;
      }
      counts.add(signal, 'waiting', 1);
      return true;
    },
    export(items, done) {
      inner.export(items, (result) => {
        settle(items.length, result);
        done(result);
      });
    },
    forceFlush: () => inner.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => inner.shutdown(),
  };
}
