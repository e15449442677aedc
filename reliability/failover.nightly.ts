import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';

import { listDoubleCounts, listMissing, listUnfound } from './testing/compare-with-database.ts';
import { type Load, startLoad } from './testing/load-database.ts';
import { pairVersion, startPair } from './testing/postgres-pair.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

/**
 * The primary is killed under load, its standby is promoted some seconds later, and the old primary comes back as a standby. Nobody
 * tells the servers: they have both addresses.
 */
const withoutMs = 4_000;
/** The records of half a minute, written in groups on a machine with much to do; and the terms of leases. */
const backMs = 120_000;

async function openClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // Its server ends before this test has.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function listEvents(server: RunningServer, ...events: readonly string[]): string[] {
  return server
    .lines()
    .map(({ event }) => event)
    .filter((event) => events.includes(event));
}

function countAcknowledged({ digests, appErrors, reports }: Load): string {
  return `${digests.length} digests, ${appErrors.length} app errors, ${reports.length} reports`;
}

test.skipIf(pairVersion === undefined)(
  'a primary that is killed under load and a standby that is promoted: nothing that was acknowledged is lost',
  async () => {
    await using pair = await startPair();
    const env = { DATABASE_URL: pair.url };
    await using one = await startServer({ env });
    await using other = await startServer({ env });
    const servers = [one, other];

    const load = await startLoad(servers, pair.primaryUrl);
    await load.grow();
    const before = countAcknowledged(load);
    process.kill(pair.primary.pid ?? 0, 'SIGKILL');
    await Promise.all([wait(withoutMs), load.grow()]);
    const away = countAcknowledged(load);
    pair.promote();
    const promotedAt = Date.now();
    await vi.waitFor(
      () => {
        const last = servers.map((server) => listEvents(server, 'database-gone', 'database-back').at(-1));
        expect(last).toEqual(['database-back', 'database-back']);
      },
      { timeout: backMs, interval: 100 },
    );
    const backAfterMs = Date.now() - promotedAt;
    await load.grow();
    await pair.rejoin();
    await load.grow();
    await load.stop();
    console.log(
      `Acknowledged before the kill: ${before}; until the promotion: ${away}; in all: ${countAcknowledged(load)}. All was written ` +
        `${backAfterMs} ms after the promotion. Pages: ${JSON.stringify([...load.pages])}, the slowest in ` +
        `${load.slowestPageMs.toFixed(0)} ms. Refused: ${JSON.stringify([...load.refusals])}`,
    );

    expect([...load.pages.keys()]).toEqual(['200']);
    // What has nothing to do with the database: the load of this machine.
    expect([...load.refusals.keys()].filter((key) => !/^(?:429|503 overloaded)/.test(key))).toEqual([]);
    const database = await openClient(pair.standbyUrl);
    expect(await listMissing(database, load)).toEqual([]);
    expect(await listDoubleCounts(database)).toEqual([]);
    for (const server of servers) {
      expect(listEvents(server, 'error-not-stored', 'spool-not-whole', 'spooled-not-stored')).toEqual([]);
      expect(await listUnfound(server, load)).toEqual([]);
    }
    const flights = await database.query<{ n: string }>('select count(*) as n from flight where started_at > $1', [
      promotedAt,
    ]);
    expect(Number(flights.rows[0]?.n)).toBeGreaterThan(10);
  },
  600_000,
);
