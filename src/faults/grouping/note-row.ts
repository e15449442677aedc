import 'server-only';

import type { Kysely } from 'kysely';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { ownApp } from '#src/store/own-app.ts';
import { isTrusted } from '#src/store/event-columns.ts';
import type { NewEvent, Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { findServerError, findWaitingErrors } from './join-waiting.ts';
import { isMaskedMessage, namesFault } from './masked-errors.ts';
import { uncount } from './uncount.ts';
import { noteErrorOf, type Noted, type NotedError } from './note-error.ts';
import { readCulprit } from './read-culprit.ts';

/**
 * From an event to its fault. An untrusted error that tells of a server's error is counted in that error's fault, whichever of the two
 * comes first.
 */

/** What a stack was found to say. */
export type Understood = {
  readonly grouping: Grouping;
  readonly frames: readonly SourceFrame[];
};

export type EventToNote = Pick<
  NewEvent,
  | 'id'
  | 'side'
  | 'app'
  | 'digest'
  | 'name'
  | 'message'
  | 'route'
  | 'path'
  | 'trace_id'
  | 'level'
  | 'user_key'
  | 'time'
  | 'received_at'
  | 'release'
>;

function toNotedError(row: EventToNote, frames: Understood['frames']): Omit<NotedError, 'grouping'> {
  const { id, side, name, message, received_at: receivedAt } = row;
  return {
    id,
    side,
    name,
    message,
    receivedAt,
    app: row.app ?? ownApp,
    culprit: readCulprit(frames, row.route || row.path),
    level: row.level ?? 'error',
    release: row.release ?? '',
    userKey: row.user_key ?? undefined,
  };
}

/** Counts a server's error that is being stored, or was stored without its fault. */
async function noteTrusted(trx: Kysely<Tables>, row: EventToNote, understood: Understood): Promise<Noted> {
  const { digest, time, trace_id = '', release = '' } = row;
  const { frames, ...grouped } = understood;
  const app = row.app ?? ownApp;
  const noted = await noteErrorOf(trx, { ...toNotedError(row, frames), ...grouped });
  const grouping = { ...understood.grouping, fingerprint: noted.fingerprint };
  for (const waiting of await findWaitingErrors(trx, { app, digest: digest ?? null, time, trace_id, release })) {
    await moveUntrusted(trx, waiting, noted.fault, grouping);
  }
  return noted;
}

/** The error of the server has come. */
async function moveUntrusted(trx: Kysely<Tables>, id: string, fault: string, grouping: Grouping): Promise<void> {
  const row = await selectEvents(trx, 'browser').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { app, fingerprint: hash, received_at: receivedAt } = row;
  // The row may have yet to follow its hash.
  const counted = await trx
    .selectFrom('fault_hash')
    .select('fault')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .executeTakeFirst();
  const before = row.fault === null ? null : (counted?.fault ?? row.fault);
  let { ordinal } = row;
  if (before !== fault) {
    ({ ordinal } = await noteErrorOf(trx, { ...toNotedError(row, []), grouping }));
    if (before !== null) await uncount(trx, { as: 'untrusted', app, hash, receivedAt, fault: before }, fault);
  }
  const columns = { fault, ordinal, waits: 0, fingerprint: before === fault ? hash : grouping.fingerprint };
  await trx.updateTable('event').set(columns).where('id', '=', id).where('side', '=', 'browser').execute();
  await trx.updateTable('feedback').set({ fault }).where('event_id', '=', id).execute();
}

/** All that is known of it is its digest, or else where it was seen. */
function groupMasked({ name, message, digest, path }: EventToNote): Grouping {
  const named = digest && namesFault(digest) ? { name: `${name} with digest ${digest}` } : { name, culprit: path };
  return computeGrouping({ message, frames: [], ...named });
}

/** An event's columns, to be stored with it instead of those that it came with. */
export type NotedEvent = {
  readonly columns: {
    readonly fault: string | null;
    readonly fingerprint: string;
    readonly ordinal: number | null;
    readonly waits: number;
  };
  readonly activity: Noted['activity'];
};

async function noteUntrusted(trx: Kysely<Tables>, row: EventToNote, understood: Understood): Promise<NotedEvent> {
  const { frames, ...grouped } = understood;
  const app = row.app ?? ownApp;
  const server = await findServerError(trx, { ...row, app });
  // Its stack is not understood yet; what understands it counts this untrusted error, too.
  if (server && server.fault === null) {
    return {
      columns: { fault: null, fingerprint: understood.grouping.fingerprint, ordinal: null, waits: 1 },
      activity: undefined,
    };
  }
  const isMasked = isMaskedMessage(row.message);
  const grouping = server
    ? { ...understood.grouping, fingerprint: server.fingerprint }
    : isMasked
      ? groupMasked(row)
      : understood.grouping;
  const { activity, ...noted } = await noteErrorOf(trx, { ...toNotedError(row, frames), ...grouped, grouping });
  const waits = !server && (row.digest || isMasked) ? 1 : 0;
  return { columns: { ...noted, waits }, activity };
}

/** Counts an event that is being stored, or was stored without its fault. */
export async function noteEvent(trx: Kysely<Tables>, row: EventToNote, understood: Understood): Promise<NotedEvent> {
  if (!isTrusted(row.side)) return noteUntrusted(trx, row, understood);
  const { activity, ...noted } = await noteTrusted(trx, row, understood);
  return { columns: { ...noted, waits: 0 }, activity };
}
