import path from 'node:path';

import { expect } from 'vitest';

import type { Results } from '../check-budget.ts';
import { createExpectation, type Expectation } from '../expectation.ts';
import { readSource } from '../read-source.ts';
import { writeShapes } from '../shape/write-shapes.ts';

/**
 * `flight-recorder/vitest`: budgets and shapes of flights in tests that Vitest runs. Vitest is the project's own; nothing of it
 * is in this bundle.
 */

/** Vitest has no folder for a test's results. Playwright's is called so, and most projects ignore it already. */
const folder = 'test-results';

/** What is thrown is an error like any other, so a runner needs no more of us than the test's name. */
function findResults(): Results {
  return { keep: (name) => path.resolve(folder, name), testName: expect.getState().currentTestName };
}

export function expectFlight(source: unknown): Expectation {
  return createExpectation(
    () => readSource(source),
    () => Promise.resolve(findResults),
  );
}

export async function readFlightShape(source: unknown): Promise<string> {
  return writeShapes(await readSource(source));
}
