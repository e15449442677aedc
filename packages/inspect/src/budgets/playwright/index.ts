import { checkBudget } from '../check-budget.ts';
import type { Loaded } from '../open-loaded.ts';
import { createExpectation, type Expectation } from '../expectation.ts';
import { readBudget } from '../read-budget.ts';
import { readSource } from '../read-source.ts';
import { writeShapes } from '../shape/write-shapes.ts';

import { findResults } from './find-results.ts';
import { readDuring } from './read-during.ts';
import { isPage, readDocument } from './read-page.ts';

/**
 * `flight-recorder/playwright`: budgets and shapes of what a page loaded. Playwright is the project's own; nothing of it is in
 * this bundle, and its types are told by what is used of them.
 */
async function load(source: unknown, act: (() => unknown) | undefined): Promise<Loaded> {
  if (!isPage(source)) return await readSource(source);
  return act ? await readDuring(source, act) : await readDocument(source);
}

export function expectFlight(source: unknown, act?: () => unknown): Expectation {
  return createExpectation(() => load(source, act), findResults);
}

export async function readFlightShape(source: unknown, act?: () => unknown): Promise<string> {
  return writeShapes(await load(source, act));
}

export const flightMatchers = {
  async toStayWithinFlightBudget(received: unknown, budget: unknown) {
    const limits = readBudget(budget);
    const { isWithin, message } = await checkBudget(await load(received, undefined), limits, await findResults());
    return { pass: isWithin, message: () => message };
  },
};
