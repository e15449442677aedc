import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { createDrops } from '#src/flights/flight/drops.ts';

import { Health, type HealthFacts, listIll } from './health.tsx';

const well: HealthFacts = {
  isDatabaseAway: false,
  notWritable: undefined,
  unstoredErrors: 0,
  drops: createDrops().read(),
  isRecordingOff: false,
  load: 'calm',
  goneInstances: 0,
  refused: 0,
};

function say(facts: Partial<HealthFacts>): readonly string[] {
  return listIll({ ...well, ...facts }).map(({ says }) => says);
}

it('says that all is well, and nothing else', () => {
  expect(renderToStaticMarkup(<Health facts={well} />)).toContain('All is well');
  expect(say({})).toEqual([]);
});

it.each([
  [{ isDatabaseAway: true }, 'database does not answer'],
  [{ notWritable: 'the disk is full' }, 'Nothing can be written: the disk is full.'],
  [{ drops: undefined }, 'no recorder'],
  [{ drops: { ...createDrops().read(), memory: 2 } }, '2 flights were lost'],
  [{ load: 'no-reports' as const }, 'turns reports away'],
  [{ unstoredErrors: 1 }, '1 error could not be written'],
  [{ goneInstances: 1 }, '1 server stopped'],
  [{ refused: 1 }, '1 request of senders refused'],
  [{ isRecordingOff: true }, 'Recording is off'],
])('says %o', (facts, words) => {
  const said = say(facts);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(words);
  expect(renderToStaticMarkup(<Health facts={{ ...well, ...facts }} />)).not.toContain('All is well');
});

it('begins with the worst', () => {
  expect(say({ refused: 3, isDatabaseAway: true })[0]).toContain('database does not answer');
});
