import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { afterAll, expect, test, vi } from 'vitest';

import { createProxy, type Proxy } from '#src/proxy/create-proxy.ts';
import type { FlightSummary } from '../../src/flights/flight/flight-record.ts';
import { closeFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import { askAsOperator } from '#src/flights/recorder/testing/ask-as-operator.ts';
import { listFlights } from '#src/flights/for-operator/queries.ts';
import { startWatch } from '#src/flights/watch/start-watch.ts';

import { frameworks } from './all-frameworks.ts';
import { driveApp, openBrowser, type Seen, type StepName } from './drive-app.ts';
import { listDigests, type ExpectedExchange, type Framework } from './expected-exchange.ts';
import { startFramework } from './start-app.ts';
import { createQuiet } from './wait-for-quiet.ts';

/** The same journeys through this project's own proxy: what is recorded is compared with the same tables. */
type Journey = {
  readonly recorded: ReadonlyMap<string, readonly FlightSummary[]>;
  readonly seen: ReadonlyMap<StepName, Seen>;
};

const mebibyte = 1024 * 1024;
/** One for all apps: a process has one data folder. */
const folder = mkdtempSync(path.join(tmpdir(), 'frameworks-data-'));
vi.stubEnv('FLIGHT_DATA', folder);

afterAll(async () => {
  await closeFlightsReader(folder);
  rmSync(folder, { recursive: true });
});

/** Of all requests: scripts that still load will ask for something that is recorded. */
function countRequests({ server }: Proxy, quiet: ReturnType<typeof createQuiet>): void {
  server.on('request', (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    quiet.begin();
    outgoing.once('close', quiet.end);
  });
}

async function takeJourney(framework: Framework): Promise<Journey> {
  await using app = await startFramework(framework);
  const limits = { bytes: 64 * mebibyte, ageMs: 3_600_000 };
  const running = await startWatch({ app: framework.name, folder, readPolicy: () => ({ mode: 'all' }), limits });
  const quiet = createQuiet();
  const proxy = createProxy({ to: `http://127.0.0.1:${app.port}`, watch: running.watch });
  countRequests(proxy, quiet);
  const port = await proxy.listen(0, '127.0.0.1');
  await using browser = await openBrowser();
  const recorded = new Map<string, readonly FlightSummary[]>();
  let step = '';
  let since = 0;
  const settle = async () => {
    await quiet.wait();
    await running.flush();
    const { flights, newest } = await askAsOperator(() => listFlights({ app: framework.name }, { since, limit: 500 }));
    recorded.set(step, flights);
    since = newest;
  };
  const beginStep = (name: string) => (step = name);
  try {
    const seen = await driveApp(browser, { origin: `http://127.0.0.1:${port}`, beginStep, settle });
    expect(proxy.readTapFailures()).toBe(0);
    expect(Object.values(running.readLosses()).filter((count) => count > 0)).toEqual([]);
    return { recorded, seen };
  } finally {
    await proxy.drain(0);
    await running.close();
  }
}

function toFacts({ framework, kind, digests, actionId, status, route }: FlightSummary) {
  return { framework, kind, digests, hasAction: actionId !== undefined && actionId !== null, status, route };
}

/** @throws with what was recorded in its place */
function checkRecorded({ framework }: Framework, expected: ExpectedExchange, { recorded, seen }: Journey): void {
  const saw = seen.get(expected.step);
  if (!saw) throw new Error('the step was not taken');
  const { kind, status, route, actionId } = expected;
  // An empty digest names nothing.
  const digests = listDigests(expected, saw).filter((digest) => digest !== '');
  const wanted = { framework, kind, digests, hasAction: actionId !== undefined, status };
  const found = (recorded.get(expected.step) ?? []).map(toFacts);
  const isThere = found.some((facts) => isDeepStrictEqual(facts, { ...wanted, route: route ?? facts.route }));
  if (!isThere) throw new Error(`${JSON.stringify({ ...wanted, route })} is not among ${JSON.stringify(found)}`);
}

test.each(frameworks)('$name is recorded as its table says', { timeout: 600_000 }, async (framework) => {
  const journey = await takeJourney(framework);
  // What has no Flight and did not fail need not be recorded.
  const told = framework.exchanges.filter(({ content, status }) => content !== 'none' || status >= 500);
  const failures: string[] = [];
  for (const expected of told) {
    try {
      checkRecorded(framework, expected, journey);
    } catch (error) {
      failures.push(`${expected.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});
