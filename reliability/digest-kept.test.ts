import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { expect, test, onTestFinished } from 'vitest';

import { readStored } from './testing/databases.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { askFailing, failingTitles, listFailing } from './testing/failing-pages.ts';
import { isQuick } from './testing/is-quick.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * A digest that a person has read leads to its cause, from the first moment on, and whatever happens to the server in
 * the next moment.
 */
const rounds = isQuick ? 6 : 200;
const lookUpsEach = 12;
const visitors = 8;

async function lookUp(server: RunningServer, digest: string): Promise<number | undefined> {
  const target = `/digest/${digest.slice(0, 5)}-${digest.slice(5)}`;
  const answer = await exchangeRaw(
    server.port,
    `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`,
    { waitMs: 30_000 },
  );
  return answer.statuses[0];
}

test.each(failingTitles)('the digest of %s has its page as soon as it was read', async (title) => {
  await using server = await startServer();
  const failing = (await listFailing(server)).find((one) => one.title === title);
  if (!failing) throw new Error(`nothing fails as ${title}`);
  const statuses: Promise<number | undefined>[] = [];
  for (let time = 0; time < lookUpsEach; time += 1) {
    await askFailing(server, failing, (digest) => statuses.push(lookUp(server, digest)));
  }
  expect(statuses.length).toBeGreaterThanOrEqual(lookUpsEach);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
});

type Read = {
  /** But those of which the log says that they were sent before they were stored: the disk did not take them within a second. */
  readonly digests: readonly string[];
};

/** Kills the server at a moment after `count` digests were read. */
async function readUntilKilled(dataFolder: string, count: number): Promise<Read> {
  await using server = await startServer({ dataFolder });
  const failing = await listFailing(server);
  const agent = new Agent({ keepAlive: true, maxSockets: visitors });
  const digests: string[] = [];
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  async function visit(visitor: number): Promise<void> {
    for (let at = visitor; ; at += 1) {
      const page = failing[at % failing.length];
      if (!page) throw new Error('there is nothing to ask for');
      const isWhole = await askFailing(
        server,
        page,
        (digest) => {
          digests.push(digest);
          if (digests.length >= count) reach();
        },
        agent,
      );
      if (!isWhole) return;
    }
  }
  const visits = Array.from({ length: visitors }, (_, visitor) => visit(visitor));
  await reached;
  await wait(Math.random() * 10);
  await server.end('SIGKILL');
  await Promise.all(visits);
  agent.destroy();
  const late = server.lines().filter(({ event }) => event === 'error-not-stored-in-time');
  const inLog = new Set(late.map(({ fields }) => fields['digest']));
  return { digests: digests.filter((digest) => !inLog.has(digest)) };
}

/** By digest: what is known about it when no server runs. */
async function readErrors(
  dataFolder: string,
): Promise<Map<string, { readonly stack: string; readonly fingerprint: string }>> {
  const rows = await readStored(dataFolder, "select digest, stack, fingerprint from event where side = 'server'");
  return new Map(
    rows.map((row) => [
      String(row['digest']),
      { stack: String(row['stack']), fingerprint: String(row['fingerprint']) },
    ]),
  );
}

test(
  `every digest that a client read has its cause after ${rounds} kills`,
  async () => {
    let count = 0;
    for (let round = 0; round < rounds; round += 1) {
      // A folder for each round: what it finds is of its own kill.
      const dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-digests-'));
      onTestFinished(() => rmSync(dataFolder, { recursive: true }));
      const { digests } = await readUntilKilled(dataFolder, 1 + Math.floor(Math.random() * 60));
      const left = await startServer({ dataFolder });
      await left.end('SIGTERM');
      const errors = await readErrors(dataFolder);
      expect(digests.filter((digest) => !errors.get(digest)?.stack)).toEqual([]);
      count += digests.length;
    }
    expect(count).toBeGreaterThan(rounds);
  },
  rounds * 40_000,
);
