import { expect, test } from 'vitest';

import { frameworks } from './all-frameworks.ts';
import { startCaptureProxy, type Exchange } from './capture-proxy.ts';
import { driveApp, openBrowser, type Seen, type StepName } from './drive-app.ts';
import {
  findExchanges,
  listDigests,
  readActionId,
  readBody,
  readHeader,
  type ExpectedExchange,
  type Framework,
} from './expected-exchange.ts';
import { startFramework } from './start-app.ts';
import { writeFixture } from './write-fixture.ts';

/**
 * Builds an app of each framework, takes a browser through it, and compares what they really sent each other with the
 * tables. With `FRAMEWORKS_FIXTURES=write` the exchanges become the fixtures of the recorder's tests.
 * `FRAMEWORKS_FOLDER` names a folder that keeps the built apps for the next run.
 */

/** An error row in a payload, or in the script that brings it in a page. */
const emptyDigest = /E\{\\?"digest\\?":\\?"\\?"\}/;

type Journey = { readonly exchanges: readonly Exchange[]; readonly seen: ReadonlyMap<StepName, Seen> };

async function takeJourney(framework: Framework): Promise<Journey> {
  await using app = await startFramework(framework);
  await using proxy = await startCaptureProxy(app.port);
  await using browser = await openBrowser();
  const seen = await driveApp(browser, proxy);
  return { exchanges: proxy.exchanges(), seen };
}

function describeAnswer(exchange: Exchange) {
  const { status, isComplete } = exchange;
  return { status, contentType: readHeader(exchange.responseHeaders, 'content-type'), isComplete };
}

/** @throws with what differs from the table */
function checkExchange(framework: Framework, expected: ExpectedExchange, { exchanges, seen }: Journey): void {
  const [exchange] = findExchanges(exchanges, expected);
  const saw = seen.get(expected.step);
  if (!exchange || !saw) throw new Error('no such request came');
  const { status, contentType } = expected;
  expect(describeAnswer(exchange)).toEqual({ status, contentType, isComplete: true });
  const body = readBody(exchange);
  if (expected.body) expect(body).toMatch(expected.body);
  const digests = listDigests(expected, saw);
  for (const digest of digests) expect(body).toContain(digest);
  if (expected.digests === 'shown') expect(digests[0]).toMatch(framework.digest);
  if (expected.digests === 'empty') expect(body).toMatch(emptyDigest);
  const actionId = readActionId(exchange, expected);
  if (process.env['FRAMEWORKS_FIXTURES'] !== 'write' || expected.isHostsOwn) return;
  writeFixture(framework, exchange, expected, { digests, actionId });
}

test.each(frameworks)('$name sends what its table says', { timeout: 600_000 }, async (framework) => {
  const journey = await takeJourney(framework);
  const failures: string[] = [];
  for (const expected of framework.exchanges) {
    try {
      checkExchange(framework, expected, journey);
    } catch (error) {
      failures.push(`${expected.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});
