import { expect, it } from 'vitest';

import { explainStream, judgeStream, type StreamFacts } from './judge-stream.ts';

const facts: StreamFacts = {
  outcome: 'complete',
  durationMs: 30_000,
  isWhole: true,
  wasOnline: true,
  deploy: undefined,
};
const deploy = { build: 'b2', afterMs: 4_000 };

it.each([
  [{ outcome: 'left' }, 'cut'],
  [{ outcome: 'left', wasOnline: false }, 'offline'],
  [{ outcome: 'left', deploy }, 'cut'],
  [{ outcome: 'failed' }, 'broken'],
  [{ outcome: 'failed', deploy }, 'deploy'],
  [{ outcome: 'complete', isWhole: false }, 'short'],
  [{ outcome: 'complete', isWhole: false, deploy }, 'deploy'],
  [{ outcome: 'complete', deploy }, 'behind'],
  [{ outcome: 'none' }, 'unknown'],
] as const)('judges %j as %s', (some, verdict) => {
  expect(judgeStream({ ...facts, ...some })).toBe(verdict);
});

it('says after how long, and which build came', () => {
  expect(explainStream({ ...facts, outcome: 'left' })).toContain('cut it after 30 s');
  expect(explainStream({ ...facts, outcome: 'failed', deploy })).toContain('4 s later build b2 answered');
});
