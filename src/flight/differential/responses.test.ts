import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { responsePlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { describeWithReact, encodeResponse } from './responses.ts';

describe.each(lineNames)('React %s', (name) => {
  test.each(['production', 'development'] as const)('%s', async (mode) => {
    const line = loadLine(name, mode);
    await fc.assert(
      fc.asyncProperty(responsePlans, async (plan) => {
        const bytes = Buffer.concat(await encodeResponse(plan, line));
        const d = await describeWithReact(bytes, line);
        expect(d).toBeDefined();
      }),
      { numRuns: 50, seed: 1 },
    );
  }, 60000);
});
