import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { Client } from 'pg';
import { expect, vi } from 'vitest';

import { askFailing, listFailing } from './failing-pages.ts';
import { postReport } from './post-report.ts';
import type { RunningServer } from './start-server.ts';

const app = { id: 'shop', secretKey: 'k'.repeat(43) } as const;

/** What somebody was told to be kept, and how pages were answered. */
export type Load = {
  /** Digests that a client read. */
  readonly digests: string[];
  /** Digests of the app's errors that were answered with 200. */
  readonly appErrors: string[];
  /** Reports that were answered with 200. */
  readonly reports: string[];
  /** Statuses of pages that need no database, and how often each was seen. */
  readonly pages: Map<string, number>;
  /** Why reports and app errors were refused, and how often. */
  readonly refusals: Map<string, number>;
  slowestPageMs: number;
  /** Resolves when some more of each kind were acknowledged. */
  readonly grow: () => Promise<void>;
  /** Resolves when all that was sent is answered. */
  readonly stop: () => Promise<void>;
};

/** They need no database. */
const publicPages = ['/lab', '/lab/slow?ms=20', '/decode', '/protocol', '/RSC/R/lab/props.txt'];

/** A pause between two of a kind: so little that a machine with much to do besides writes faster than more comes. */
const pauseMs = { errors: 800, appErrors: 800, reports: 800, pages: 150 } as const;
/** A page that takes longer was not served. The machine may have much to do besides. */
const pageLimitMs = 30_000;
/**
 * Of a fault, all rows of the first 63 errors are kept, and two in six requests are of the same one. Then no more errors are caused.
 */
const errorsMost = 150;
const growBy = 8;
const growLimitMs = 90_000;

/** Of many errors of one fault only some are kept. Letters alone: numbers are no difference. */
function nameFault(): string {
  return Array.from({ length: 12 }, () => String.fromCodePoint(97 + randomInt(26))).join('');
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

async function sendAppError(server: RunningServer): Promise<{ digest: string; status: string }> {
  const id = randomBytes(16).toString('hex');
  const error = { id, time: Date.now(), digest: id.slice(0, 12), name: 'Error', message: `app ${nameFault()}` };
  try {
    const response = await fetch(`${server.origin}/api/${app.id}/errors`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ errors: [error] }),
    });
    const text = await response.text();
    const code = /"code":"([\w-]+)"/.exec(text)?.[1];
    return { digest: error.digest, status: response.ok ? '200' : `${response.status} ${code}` };
  } catch {
    return { digest: error.digest, status: 'no-answer' };
  }
}

/** The servers on the database hear of it within a second. */
async function addApp(database: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(`insert into app (id, name, public_key, secret_key, created) values ($1, 'Shop', 'p', $2, $3)`, [
    app.id,
    app.secretKey,
    Date.now(),
  ]);
  await client.end();
}

/** Errors, app errors, reports and visits of pages, through all servers, until it is stopped. */
export async function startLoad(servers: readonly RunningServer[], database: string): Promise<Load> {
  await addApp(database);
  let isOver = false;
  const load: Load = {
    digests: [],
    appErrors: [],
    reports: [],
    pages: new Map(),
    refusals: new Map(),
    slowestPageMs: 0,
    async grow() {
      const kinds = [load.digests, load.appErrors, load.reports];
      const before = kinds.map(({ length }) => length);
      await vi.waitFor(
        () => {
          const grown = kinds
            .map(({ length }, at) => length - (before[at] ?? 0))
            .slice(load.digests.length < errorsMost ? 0 : 1);
          expect(
            Math.min(...grown),
            `${String(grown)}; refused: ${JSON.stringify([...load.refusals])}`,
          ).toBeGreaterThanOrEqual(growBy);
        },
        { timeout: growLimitMs, interval: 100 },
      );
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };

  async function repeat(ms: number, act: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      await act(turn);
      await wait(ms);
    }
  }

  async function visit(server: RunningServer, turn: number): Promise<void> {
    const page = publicPages[turn % publicPages.length] ?? '/lab';
    const asked = performance.now();
    try {
      const response = await fetch(`${server.origin}${page}`, { signal: AbortSignal.timeout(pageLimitMs) });
      await response.text();
      count(load.pages, response.ok ? '200' : `${response.status} of ${page}`);
    } catch (error) {
      count(load.pages, `${String(error)} of ${page}`);
    }
    load.slowestPageMs = Math.max(load.slowestPageMs, performance.now() - asked);
  }

  async function loadOne(server: RunningServer, number: number): Promise<void> {
    const failing = await listFailing(server);
    await Promise.all([
      repeat(pauseMs.errors, async (turn) => {
        const page = failing[turn % failing.length];
        if (!page || load.digests.length >= errorsMost) return;
        await askFailing(server, page, (digest) => load.digests.push(digest));
      }),
      repeat(pauseMs.appErrors, async () => {
        const { digest, status } = await sendAppError(server);
        if (status === '200') load.appErrors.push(digest);
        else count(load.refusals, status);
      }),
      repeat(pauseMs.reports, async (turn) => {
        const { id, status, code } = await postReport(server.port, number * 100 + (turn % 100), `boom ${nameFault()}`);
        if (status === 200) load.reports.push(id);
        else count(load.refusals, `${status} ${code}`);
      }),
      repeat(pauseMs.pages, (turn) => visit(server, turn)),
    ]);
  }

  const running = servers.map(loadOne);
  return load;
}
