import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

import type { DropReason, Loss } from '../flight/drops.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import type { DescribedExchange } from './exchange/describe-exchange.ts';
import type { FlightEntry, MeasureHtml } from './flight-values.ts';
import type { TracePart } from '../traces/pack-spans.ts';
import type { Vitals } from '../vitals/vitals.ts';
import type { WrittenCount } from './written.ts';

/** What a page of another app says of its answers. What is a text in a list is a request id. */
export type ReportedUse = {
  readonly app: string;
  readonly used: readonly string[];
  readonly unused: readonly string[];
  /** They were no prefetches, which nothing else may have said. */
  readonly clicks: readonly string[];
  readonly links: readonly ReportedLink[];
  /** Of the document itself, which may tell them again: then the later ones hold. */
  readonly vitals?: ReportedVitals | undefined;
};

export type ReportedVitals = { readonly id: string; readonly vitals: Vitals };

/** For which link a prefetch was made. */
export type ReportedLink = {
  readonly id: string;
  readonly trigger: PrefetchTrigger;
  readonly text: string;
  readonly place: string;
};

/** What a browser tells of its prefetches after they were made. */
export type UsageNote = {
  readonly time: number;
  /** Request ids of prefetches that a navigation has shown. */
  readonly used: readonly string[];
  /** The trace of a document that was closed. */
  readonly closedTrace: string | undefined;
  /** Of answers that went through a proxy: a browser says what became of them, where else it is guessed. */
  readonly told?: ReportedUse;
};

export type WriterState = {
  /** Bytes in use, indexes included: of SQLite's file without free pages and the log, of PostgreSQL's tables as last measured. */
  readonly bytes: number;
  readonly lastId: number;
  readonly oldestAt: number | undefined;
};

/** SQLite answers at once, on the thread itself; PostgreSQL later. */
type Soon<T> = T | Promise<T>;

/**
 * Writes flights and takes the oldest out again: everything that compresses, hashes and waits for a database, in one thread that
 * serves nobody (writer-thread.ts). What is written of a flight is in flight-values.ts. SQLite's is open-sqlite-writer.ts,
 * PostgreSQL's is postgres/open-postgres-writer.ts.
 *
 * Everything throws, or rejects with, the database's error.
 */
export type FlightWriter = {
  /** To be called before each request. */
  readonly prepare: () => Soon<void>;
  /**
   * Commits all of `entries`, or none.
   * @param measureHtml where there are prerendered documents among them
   */
  readonly write: (entries: Iterable<FlightEntry>, measureHtml?: MeasureHtml) => Soon<void>;
  /** The same for responses of other apps. */
  readonly writeExchanges: (exchanges: readonly DescribedExchange[]) => Soon<void>;
  readonly note: (notes: readonly UsageNote[]) => Soon<void>;
  /** Adds to what was lost before. */
  readonly addLosses: (losses: readonly Loss[]) => Soon<void>;
  /** What an app runs: in place of what it told before. */
  readonly keepInstalled: (app: string, packages: readonly InstalledPackage[]) => Soon<void>;
  readonly keepRecord: (app: string, record: string) => Soon<void>;
  /** The files of a build's client modules; those of the latest builds of an app are kept. */
  readonly keepModules: (app: string, build: string, files: ModuleFiles) => Soon<void>;
  /** What is there already is not written twice. */
  readonly keepSpans: (app: string, parts: readonly TracePart[], now: number) => Soon<void>;
  /** Deletes a part of what is too old. @returns false when nothing was */
  readonly deleteTooOld: (now: number) => Soon<boolean>;
  /** It is only called when the clocks disagree, since SQLite reads every row. */
  readonly countTooOld: (now: number) => Soon<number>;
  readonly delete: (id: number) => Soon<void>;
  readonly deleteAll: () => Soon<void>;
  /** Of another app than our own: the oldest, for some milliseconds. */
  readonly deleteSlice: (app: string, upTo: number) => Soon<void>;
  /** Of SQLite: what was deleted is in no file afterwards. */
  readonly emptyLog: () => Soon<void>;
  /** After an error: SQLite's file may be damaged, and is then moved aside. */
  readonly recover: (error: unknown) => void;
  /** Reading has met damage in the file of this inode; it may have been moved aside meanwhile. */
  readonly replaceDamaged: (inode: number) => void;
  readonly readState: () => Soon<WriterState>;
  /** What was written since the last call. */
  readonly takeWritten: () => readonly WrittenCount[];
  readonly close: () => Soon<void>;
  /** As what flights are counted that could not be written. */
  readonly lossReason: Extract<DropReason, 'disk' | 'database'>;
};
