import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { chromium } from 'playwright';
import { expect, test } from 'vitest';

import { provideBrowser } from '../../scripts/find-browser.mjs';
import { startCaptureProxy, type Exchange } from './capture-proxy.ts';
import { driveApp, type Seen, type StepName } from './drive-app.ts';
import { findExchanges, listDigests, readHeader, type ExpectedExchange, type Framework } from './expected-exchange.ts';
import { next16, next16Cache } from './next.ts';
import { buildApp, startApp } from './start-app.ts';
import { writeFixture } from './write-fixture.ts';

/**
 * Builds an app of each framework, takes a browser through it, and compares what they really sent each other with the
 * tables. With `FRAMEWORKS_FIXTURES=write` the exchanges become the fixtures of the recorder's tests.
 * `FRAMEWORKS_FOLDER` names a folder that keeps the built apps for the next run.
 */
const frameworks: readonly Framework[] = [next16, next16Cache];
const folder = process.env['FRAMEWORKS_FOLDER'] ?? mkdtempSync(path.join(tmpdir(), 'frameworks-'));
const root = path.join(import.meta.dirname, '../..');

type Journey = { readonly exchanges: readonly Exchange[]; readonly seen: ReadonlyMap<StepName, Seen> };

async function takeJourney({ name, start }: Framework): Promise<Journey> {
  const appFolder = path.join(folder, name);
  buildApp(path.join(import.meta.dirname, name), appFolder);
  const found: string = provideBrowser(root, process.execPath);
  await using app = await startApp(appFolder, start);
  await using proxy = await startCaptureProxy(app.port);
  await using browser = await chromium.launch({
    ...(found === 'playwright' ? {} : { executablePath: found }),
    args: ['--no-sandbox'],
  });
  const seen = await driveApp(browser, proxy);
  return { exchanges: proxy.exchanges(), seen };
}

function describeAnswer(exchange: Exchange) {
  const { status, isComplete } = exchange;
  return { status, contentType: readHeader(exchange.responseHeaders, 'content-type'), isComplete };
}

test.each(frameworks)('$name sends what its table says', { timeout: 600_000 }, async (framework) => {
  const { exchanges, seen } = await takeJourney(framework);
  const failures: string[] = [];
  const check = (expected: ExpectedExchange) => {
    const [exchange] = findExchanges(exchanges, expected);
    const saw = seen.get(expected.step);
    if (!exchange || !saw) throw new Error('no such request came');
    const { status, contentType } = expected;
    expect(describeAnswer(exchange)).toEqual({ status, contentType, isComplete: true });
    const digests = listDigests(expected, saw);
    if (expected.digests === 'shown') expect(digests[0]).toMatch(framework.digest);
    if (process.env['FRAMEWORKS_FIXTURES'] === 'write') writeFixture(framework, exchange, expected, digests);
  };
  for (const expected of framework.exchanges) {
    try {
      check(expected);
    } catch (error) {
      failures.push(`${expected.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
});
