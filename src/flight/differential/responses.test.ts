import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../decode-flight.ts';
import { describeFlight } from './describe-flight.ts';
import type { Description } from './describe-react.ts';
import { responsePlans } from './plans.ts';
import { type LineName, lineNames, loadLine } from './react-lines.ts';
import { describeWithReact, encodeResponse } from './responses.ts';
import { listRuns, runTimeout } from './runs.ts';

/** React's server writes it, React's client and this decoder read it, and both must have read the same. */
describe.each(lineNames)('responses of React %s', (name) => {
  describe.each(['production', 'development'] as const)('%s', (mode) => {
    const line = loadLine(name, mode);
    test.each(listRuns(mode === 'production' ? 150 : 40))(
      'are read as its client reads them, $title',
      async ({ seed, numRuns }) => {
        let tried = 0;
        await fc.assert(
          fc.asyncProperty(responsePlans, async (plan) => {
            const bytes = await encodeResponse(plan, line);
            if (!bytes) return;
            tried += 1;
            const flight = decodeFlight(bytes);
            const theirs = await describeWithReact(bytes, line);
            const ours = describeFlight(flight);
            if (!isEqual(ours, theirs, name)) expect(ours).toEqual(theirs);
            expect(flight.state).toEqual({ kind: 'complete' });
          }),
          { seed, numRuns },
        );
        expect(tried).toBeGreaterThan(numRuns * 0.95);
      },
      runTimeout,
    );
  });
});

/**
 * React 19.0's client reads null where a reference leads to a value whose row comes later than the reference; there ours
 * is the value.
 */
function isEqual(ours: Description, theirs: Description, name: LineName): boolean {
  if (isDeepStrictEqual(ours, theirs)) return true;
  if (name !== '19.0') return false;
  if (theirs === null && isSame(ours)) return true;
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) return false;
  const ourParts = Object.entries(ours);
  const theirParts = new Map(Object.entries(theirs));
  if (ourParts.length !== theirParts.size) return false;
  return ourParts.every(([key, part]) => {
    const other = theirParts.get(key);
    return other !== undefined && isEqual(part, other, name);
  });
}

function isSame(description: Description) {
  return typeof description === 'object' && description !== null && 'same' in description;
}
