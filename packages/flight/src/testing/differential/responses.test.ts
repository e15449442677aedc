import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { describeFlight } from './describe-flight.ts';
import { expectSame } from './expect-same.ts';
import { responsePlans, type Plan } from './plans.ts';
import { comparedLines, loadLine } from './react-lines.ts';
import { describeWithReact, encodeResponse, excuseOf, noAnswer } from './responses.ts';
import { listRuns, runTimeout } from './runs.ts';

/** What long runs have met: keys of a Map that give a zero which a Map does not know, and a lazy one that it does. */
const zero: Plan = { kind: 'plain', value: -0 };
const keys: readonly Plan[] = [
  { kind: 'component', result: zero, turns: 0, fails: false, key: '' },
  { kind: 'lazy', value: zero, turns: 0, fails: false },
];
const met = keys.map((key): [Plan] => [{ kind: 'map', entries: [[key, { kind: 'plain', value: 0 }]] }]);

/** React's server writes it, React's client and this decoder read it, and both must have read the same. */
describe.each(comparedLines)('responses of React %s', (name) => {
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
            expectSame(ours, theirs, { isExcused: excuseOf(name), sent: bytes });
            expect(flight.state).toEqual({ kind: 'complete' });
          }),
          { seed, numRuns, examples: met },
        );
        expect(tried).toBeGreaterThan(numRuns * 0.95);
      },
      runTimeout,
    );
  });
});
