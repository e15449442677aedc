import 'server-only';

import { isRecord } from '#boundary';
import type { Understanding } from '#src/runtime/errors/error-record.ts';
import type { CommitMark } from '#src/store/spool/commit-marks.ts';
import type { NewEvent } from '#src/store/schema.ts';

import type { ErrorChange } from '../app-errors/insert-error.ts';
import type { Pairing } from '../app-errors/pair-reports.ts';
import type { NewFeedback } from '../feedback/add-feedback.ts';
import type { Outcome } from '../receive/outcomes.ts';
import type { EventToKeep } from './insert-event.ts';

/**
 * What is to be kept, as plain data: it can wait in a file while the database does not answer. Everything is decided that does not
 * need the database: it is scrubbed, cut, grouped and paired.
 */
export type Kept =
  | {
      readonly type: 'own';
      readonly row: NewEvent;
      /** Undefined while a source map has to be read for it. */
      readonly understanding: Understanding | undefined;
    }
  | { readonly type: 'understanding'; readonly id: string; readonly understanding: Understanding }
  | {
      readonly type: 'envelope';
      readonly app: string;
      readonly event: (EventToKeep & { readonly pairing: Pairing }) | undefined;
      readonly feedback: readonly NewFeedback[];
      readonly outcomes: readonly Outcome[];
      /** By our clock. */
      readonly receivedAt: number;
    }
  | { readonly type: 'app-events'; readonly changes: readonly ErrorChange[] }
  | { readonly type: 'feedback'; readonly feedback: NewFeedback };

/** A record of a spool. */
export type SpooledKept = {
  readonly kept: Kept;
  /** With which group the database may have it already. */
  readonly mark: CommitMark | undefined;
};

const types: ReadonlySet<unknown> = new Set([
  'own',
  'understanding',
  'envelope',
  'app-events',
  'feedback',
] satisfies readonly Kept['type'][]);

/**
 * This build wrote it, or an earlier one; its checksum fits. What the database does not take of it is counted as refused, and so is a type
 * of before there was one table.
 */
function isKept(value: unknown): value is Kept {
  return isRecord(value) && types.has(value['type']);
}

function isMark(value: unknown): value is CommitMark {
  return isRecord(value) && typeof value['writer'] === 'string' && typeof value['sequence'] === 'number';
}

export function readSpooledKept(value: unknown): SpooledKept | undefined {
  if (!isRecord(value) || !isKept(value['kept'])) return undefined;
  const { kept, mark } = value;
  return { kept, mark: isMark(mark) ? mark : undefined };
}
