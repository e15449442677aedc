import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../decode-flight.ts';
import { describeFlight } from './describe-flight.ts';
import type { Description } from './describe-react.ts';
import { isEqual } from './is-equal.ts';
import { responsePlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { describeWithReact, encodeResponse, noAnswer } from './responses.ts';
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
            const flight = decodeFlight(bytes);
            const theirs = await describeWithReact(bytes, line);
            if (theirs === noAnswer) return;
            tried += 1;
            const ours = describeFlight(flight);
            const isExcused = name === '19.3' ? () => false : isLostValue;
            if (!isEqual(ours, theirs, isExcused)) expect(ours).toEqual(theirs);
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
 * Before 19.3 React's client reads null where it follows a reference too early: through a value whose row comes later.
 * There ours is the value.
 */
function isLostValue(ours: Description, theirs: Description) {
  return theirs === null && ours !== null;
}
