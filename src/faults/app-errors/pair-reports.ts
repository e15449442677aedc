import 'server-only';

import { mayBeOfOne } from '#report/masked-text.ts';

/**
 * One error can arrive several times: the app's own reporter sends it, an SDK of Sentry in the same app sends it, and
 * `flight-recorder run` finds it in the app's output. All see the same moment, but none knows the others' event ids. So errors
 * from different senders that have the same digest, or the same name and first line, and nearly the same time, are one
 * error. What was printed may be a visitor's text with a digest that they saw: it must say the same, too. The row of the one that
 * knows most is kept: a reporter knows the request and the source, an SDK what led to the error, the output neither.
 *
 * Each is paired once with each kind of sender: two failing requests are two rows. But where a reporter tells what the output prints
 * without a digest, the output adds nothing: Next.js prints the error of an action without JavaScript twice. It is kept in memory. A
 * restart in those seconds costs a second row.
 */
export type Sighting = {
  readonly app: string;
  readonly from: 'reporter' | 'sdk' | 'log';
  readonly digest: string | undefined;
  readonly name: string;
  readonly message: string;
  /** Of its frames, so that of two that are as near the one with the same is taken. */
  readonly fingerprint: string;
  /** Milliseconds since 1970, by the clock of the machine that all are on. */
  readonly time: number;
  /** The row's key. */
  readonly id: string;
};

/** `known`: `id` is the row of the same error. `replaces`: that row knows less. */
export type Pairing =
  | { readonly type: 'new' }
  | { readonly type: 'known'; readonly id: string }
  | { readonly type: 'replaces'; readonly id: string };

/** A pipe and a log's timer take a fraction of it, a slow disk or a busy thread more. */
const withinMs = 5_000;
/** Both prints are one turn of the event loop apart; a pipe and the reader's timer may part them. */
const printedWithinMs = 1_000;
/** What a sender may try again for, with its pauses. */
const keptMs = 60_000;
/** Some 500 bytes each. Of all apps together: who has most gives room. */
const errorsKept = 2_000;
/** SDKs send the most, and most apps that have one have nothing else: each event would read a long list for nothing. */
const sdkErrorsKept = 200;

const knowledge = { log: 0, sdk: 1, reporter: 2 } as const satisfies Record<Sighting['from'], number>;

type PairedError = {
  readonly app: string;
  readonly digest: string | undefined;
  readonly title: string;
  readonly time: number;
  /** The row that is stored for it. */
  row: Sighting;
  /** What `row` was before, should the new one not be stored. */
  before: Sighting | undefined;
  readonly sightings: Map<Sighting['from'], string>;
};

export type Pairs = {
  readonly pair: (sighting: Sighting, now: number) => Pairing;
  /** It was not stored after all. */
  readonly forget: (id: string) => void;
};

/** Of what is no error, a reporter tells the type. Next.js prints it as an error that says it. */
function toTitle({ name, message }: Sighting): string {
  const [first = ''] = message.split('\n', 1);
  if (!name.startsWith('thrown ')) return `${name}: ${first}`;
  return `Error: ${name === 'thrown undefined' ? 'undefined' : first}`;
}

function isSame(error: PairedError, sighting: Sighting): boolean {
  const { app, digest, title, time, row, sightings } = error;
  if (app !== sighting.app || sightings.has(sighting.from) || Math.abs(time - sighting.time) > withinMs) return false;
  const isPrinted = sighting.from === 'log' || row.from === 'log';
  if (digest !== undefined && sighting.digest !== undefined) {
    return digest === sighting.digest && (!isPrinted || mayBeOfOne(row.message, sighting.message));
  }
  // An SDK does not know Next's digest. A reporter and the output both have it, or neither does.
  const senders = new Set([sighting.from, ...sightings.keys()]);
  const knowDigests = senders.has('reporter') && senders.has('log');
  return (!knowDigests || digest === sighting.digest) && title === toTitle(sighting);
}

/** How far it is: what was thrown in the same place is nearer than all that was not. */
function measure({ row, time }: PairedError, { fingerprint, time: seenAt }: Sighting): number {
  return Math.abs(time - seenAt) + (row.fingerprint === fingerprint ? 0 : withinMs + 1);
}

/** Beyond `limit` the oldest of the app with most are forgotten: no app's errors take the place of another's. */
function keepSome(errors: readonly PairedError[], limit: number): PairedError[] {
  const kept = [...errors];
  while (kept.length > limit) {
    const counts = new Map<string, number>();
    for (const { app } of kept) counts.set(app, (counts.get(app) ?? 0) + 1);
    const most = Math.max(...counts.values());
    kept.splice(
      kept.findIndex(({ app }) => counts.get(app) === most),
      1,
    );
  }
  return kept;
}

export function createPairs(): Pairs {
  let reported: PairedError[] = [];
  let bySdk: PairedError[] = [];

  function dropOld(now: number): void {
    const isFresh = ({ time }: PairedError) => now - time < keptMs;
    reported = keepSome(reported.filter(isFresh), errorsKept);
    bySdk = keepSome(bySdk.filter(isFresh), sdkErrorsKept);
  }

  function note(sighting: Sighting): void {
    const { app, from, digest, time, id } = sighting;
    const sightings = new Map([[from, id]]);
    const title = toTitle(sighting);
    const error = { app, digest, title, time, row: sighting, before: undefined, sightings };
    if (from === 'sdk') bySdk.push(error);
    else reported.push(error);
  }

  function findSame(sighting: Sighting): PairedError | undefined {
    const others = sighting.from === 'sdk' ? reported : [...reported, ...bySdk];
    return others
      .filter((error) => isSame(error, sighting))
      .toSorted((a, b) => measure(a, sighting) - measure(b, sighting))[0];
  }

  /** Of what is printed once more: the error that a reporter told. A later one is told by it, too, and is new then. */
  function findReported(printed: Sighting): PairedError | undefined {
    if (printed.from !== 'log' || printed.digest !== undefined) return undefined;
    return reported.find(
      ({ app, title, time, sightings }) =>
        sightings.has('reporter') &&
        app === printed.app &&
        title === toTitle(printed) &&
        Math.abs(time - printed.time) <= printedWithinMs,
    );
  }

  function findById(id: string): PairedError | undefined {
    return [...reported, ...bySdk].find(({ sightings }) => [...sightings.values()].includes(id));
  }

  return {
    pair(sighting, now) {
      dropOld(now);
      // Sent again, because the answer was lost.
      const again = sighting.from === 'sdk' ? undefined : findById(sighting.id);
      if (again) return { type: 'known', id: again.row.id };
      const same = findSame(sighting);
      const printed = same ? undefined : findReported(sighting);
      if (printed) return { type: 'known', id: printed.row.id };
      if (!same) {
        note(sighting);
        return { type: 'new' };
      }
      same.sightings.set(sighting.from, sighting.id);
      const { row } = same;
      if (knowledge[sighting.from] < knowledge[row.from]) return { type: 'known', id: row.id };
      same.before = row;
      same.row = sighting;
      return { type: 'replaces', id: row.id };
    },
    forget(id) {
      const error = findById(id);
      if (!error) return;
      for (const [from, one] of error.sightings) if (one === id) error.sightings.delete(from);
      if (error.row.id !== id) return;
      if (error.before) error.row = error.before;
      else {
        reported = reported.filter((one) => one !== error);
        bySdk = bySdk.filter((one) => one !== error);
      }
    },
  };
}

/** Of this process: whoever stores errors of other apps asks the same one. */
export const appErrorPairs = createPairs();
