import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { guessReact } from '../../framework.ts';
import { responsePlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { encodeResponse } from './responses.ts';

const plans = fc.sample(responsePlans, { seed: 4, numRuns: 60 });

test.each(lineNames)('a payload of React %s is never taken for one of a newer line', async (name) => {
  const guesses = { production: new Set<string>(), development: new Set<string>() };
  for (const mode of ['production', 'development'] as const) {
    for (const plan of plans) {
      const bytes = await encodeResponse(plan, loadLine(name, mode));
      const { guess, isDevelopment } = guessReact(decodeFlight(bytes ?? new Uint8Array()));
      guesses[mode].add(guess);
      expect(Number(guess)).toBeLessThanOrEqual(Number(name));
      if (mode === 'production') expect(isDevelopment).toBe(false);
    }
  }
  // Development shows each line; production only the newest.
  expect([...guesses.development]).toContain(name);
  expect([...guesses.production]).toContain(name === '19.3' ? '19.3' : '19.0');
});
