import 'server-only';

import { type Expression, type ExpressionBuilder, type Selectable, sql, type SqlBool } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FeedbackTable, Tables } from '#src/store/schema.ts';

import { faultOfError } from './add-feedback.ts';

/** What a person wrote: untrusted. */
export type Feedback = {
  readonly id: string;
  readonly app: string;
  readonly source: FeedbackTable['source'];
  /** Milliseconds since 1970, by our clock. */
  readonly receivedAt: number;
  readonly digest: string | undefined;
  readonly eventId: string | undefined;
  /** Empty when it was not said. */
  readonly name: string;
  readonly message: string;
  readonly path: string;
};

export type FeedbackList = {
  /** Newest first. */
  readonly items: readonly Feedback[];
  /** All that are kept, whether in `items` or not. */
  readonly total: number;
};

/** As many as a page shows. */
const listed = 20;

function toFeedback(row: Selectable<FeedbackTable>): Feedback {
  const { id, app, source, name, message, path } = row;
  return {
    id,
    app,
    source,
    name,
    message,
    path,
    receivedAt: row.received_at,
    digest: row.digest ?? undefined,
    eventId: row.event_id ?? undefined,
  };
}

/** What waits, and names an error that belongs to `fault` by now. At most 200 rows wait. */
function waitsFor(fault: string): Expression<SqlBool> {
  return sql<SqlBool>`(feedback.fault is null and ${faultOfError} = ${fault})`;
}

function isAbout(of: Subject, { and, eb, or, selectFrom }: ExpressionBuilder<Tables, 'feedback'>): Expression<SqlBool> {
  if ('fault' in of) {
    const merged = selectFrom('fault').select('fault.id').where('fault.merged_into', '=', of.fault);
    return or([eb('feedback.fault', '=', of.fault), eb('feedback.fault', 'in', merged), waitsFor(of.fault)]);
  }
  const ofError = [
    ...(of.digest === null ? [] : [eb('feedback.digest', '=', of.digest)]),
    ...(of.eventId === undefined ? [] : [eb('feedback.event_id', '=', of.eventId)]),
  ];
  return and([eb('feedback.app', '=', of.app), or(ofError)]);
}

type Subject =
  | { readonly fault: string }
  /** One error, or all of a digest that names a fault. */
  | { readonly app: string; readonly digest: string | null; readonly eventId?: string };

/** What people wrote about a fault, or about the errors of a digest in its stored form. */
export async function listFeedback(of: Subject): Promise<FeedbackList> {
  requireReader();
  const { db } = await openStore();
  const chosen = db.selectFrom('feedback').where((expressions) => isAbout(of, expressions));
  const rows = await chosen.selectAll().orderBy('received_at', 'desc').limit(listed).execute();
  const { total } = await chosen.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { items: rows.map(toFeedback), total };
}
