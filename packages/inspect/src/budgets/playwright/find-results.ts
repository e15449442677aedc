import path from 'node:path';

import { isRecord } from '#boundary';

import type { Results } from '../check-budget.ts';

/**
 * Where the test that runs has its results. Playwright is the project's own, under one of two names; which of them the test
 * imports does not matter, because the first holds nothing but the second.
 */
const packages = ['@playwright/test', 'playwright/test'];

/** Without a test, as in a script that uses Playwright's library: Playwright's own default. */
const folder = 'test-results';

type TestInfo = { readonly title: string; readonly outputPath: (name: string) => string };

function isTestInfo(value: unknown): value is TestInfo {
  return isRecord(value) && typeof value['outputPath'] === 'function' && typeof value['title'] === 'string';
}

function isTest(value: unknown): value is { readonly info: () => unknown } {
  return typeof value === 'function' && 'info' in value && typeof value.info === 'function';
}

async function findTestInfo(): Promise<TestInfo | undefined> {
  for (const name of packages) {
    try {
      const loaded: unknown = await import(/* @vite-ignore */ name);
      const test = isRecord(loaded) ? loaded['test'] : undefined;
      const info = isTest(test) ? test.info() : undefined;
      if (isTestInfo(info)) return info;
    } catch {
      // Not installed, or no test runs.
    }
  }
  return undefined;
}

export async function findResults(): Promise<() => Results> {
  const info = await findTestInfo();
  return () => ({
    keep: (name) => (info ? info.outputPath(name) : path.resolve(folder, name)),
    testName: info?.title,
  });
}
