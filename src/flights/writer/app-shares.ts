import { flightColumns } from '../flight/flight-columns.ts';
import type { Prepare } from './prepare.ts';

/**
 * How much of the recording each app has. When there is no more room, the app that has most gives its oldest: a busy app, or whoever has
 * its key, takes nothing from the others.
 *
 * It is counted again when a sixteenth of the recording was given since: other processes write into the same file, and a count in a table
 * would cost every flight an update. A body that two flights share is counted twice, which is close enough to choose an app.
 */
export type AppShares = {
  /** Undefined where nothing is recorded. */
  readonly findLargest: () => string | undefined;
  readonly noteFreed: (app: string, bytes: number) => void;
  /** What is known may be wrong. @returns false when it was counted just now */
  readonly doubt: () => boolean;
};

/** Of a flight without its texts, of a row that hangs on it, and of a digest, which stands in an index besides. */
const [rowBytes, hungBytes, digestBytes] = [512, 128, 'octet_length(digest) * 2 + 64'];

const texts = flightColumns.filter(({ type }) => type.startsWith('text')).map(({ column }) => column);

/** Of the row and its body, which may be shared. In SQL, for `flight left join body`. */
const ownBytes = `${rowBytes} + coalesce(length(body.data), 0) + ${texts.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')}`;

/** What one flight takes. In SQL, for `flight left join body`. */
export const flightBytes = `${ownBytes}
  + (select coalesce(sum(length(data) + ${hungBytes}), 0) from attachment where flight_id = flight.id)
  + (select coalesce(sum(${digestBytes}), 0) from flight_digest where flight_id = flight.id)`;

/** @param countedAgain after so many bytes were freed */
export function createAppShares(prepare: Prepare, countedAgain: number): AppShares {
  const shares = new Map<string, number>();
  let freed = Infinity;

  function count(): void {
    shares.clear();
    freed = 0;
    const rows = prepare(
      `select flight.app, sum(${ownBytes}) as bytes
      from flight left join body on body.id = flight.body_id group by flight.app
      union all select flight.app, sum(length(data) + ${hungBytes}) from attachment join flight on flight.id = flight_id group by flight.app
      union all select flight.app, sum(${digestBytes}) from flight_digest join flight on flight.id = flight_id group by flight.app
      union all select app, sum(length(data)) from span group by app`,
    ).all();
    for (const row of rows) {
      const app = String(row['app']);
      shares.set(app, (shares.get(app) ?? 0) + Number(row['bytes']));
    }
  }

  return {
    findLargest() {
      if (freed >= countedAgain) count();
      let largest: string | undefined;
      for (const [app, bytes] of shares) {
        if (largest === undefined || bytes > (shares.get(largest) ?? 0)) largest = app;
      }
      return largest;
    },
    noteFreed(app, bytes) {
      freed += bytes;
      shares.set(app, (shares.get(app) ?? 0) - bytes);
    },
    doubt() {
      if (freed === 0) return false;
      freed = Infinity;
      return true;
    },
  };
}
