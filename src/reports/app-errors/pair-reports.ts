import 'server-only';

/**
 * One error can arrive twice: the app's own reporter sends it, and `flight-recorder run` finds it in the app's output. Both see
 * the same moment, but neither knows the other's event id. So an error from the output and one from inside that have the same
 * digest, or the same name and first line, and nearly the same time, are one occurrence: the one from inside is kept, because it
 * knows the request.
 *
 * Each is paired once: two failing requests are two rows. It is kept in memory. A restart in those seconds costs a second row.
 */
export type Sighting = {
  readonly app: string;
  readonly isFromLog: boolean;
  /** The digest, or the name and the message's first line. */
  readonly fault: string;
  /** Milliseconds since 1970, by the clock of the machine that both are on. */
  readonly time: number;
  /** The row's key. */
  readonly id: string;
};

/** `replaces`: the row of the same occurrence, which knows less. */
type Pairing =
  | { readonly type: 'new' }
  | { readonly type: 'known' }
  | { readonly type: 'replaces'; readonly id: string };

/** A pipe and a log's timer take a fraction of it, a slow disk or a busy thread more. */
const withinMs = 5_000;
/** What a sender may try again for, with its pauses. */
const keptMs = 60_000;
/** Some 300 bytes each. */
const sightingsKept = 2_000;

type Kept = Sighting & { isPaired: boolean };

export type Pairs = {
  readonly pair: (sighting: Sighting, now: number) => Pairing;
  /** It was not stored after all. */
  readonly forget: (id: string) => void;
};

export function createPairs(): Pairs {
  let kept: Kept[] = [];

  return {
    pair(sighting, now) {
      kept = kept.filter(({ time }) => now - time < keptMs).slice(-sightingsKept);
      // Sent again, because the answer was lost.
      if (kept.some(({ id }) => id === sighting.id)) return { type: 'known' };
      const partner = kept
        .filter(
          ({ app, fault, isFromLog, isPaired, time }) =>
            !isPaired &&
            isFromLog !== sighting.isFromLog &&
            app === sighting.app &&
            fault === sighting.fault &&
            Math.abs(time - sighting.time) <= withinMs,
        )
        .toSorted((a, b) => Math.abs(a.time - sighting.time) - Math.abs(b.time - sighting.time))[0];
      kept.push({ ...sighting, isPaired: partner !== undefined });
      if (!partner) return { type: 'new' };
      partner.isPaired = true;
      return sighting.isFromLog ? { type: 'known' } : { type: 'replaces', id: partner.id };
    },
    forget(id) {
      kept = kept.filter((entry) => entry.id !== id);
    },
  };
}
