import { expect, it } from 'vitest';

import type { Experiment } from './experiment.ts';
import { findNext, groupExperiments } from './group-experiments.ts';

function inGroup(name: string, group: string, order = 0): Experiment {
  const texts = { title: name, isUntitled: false, happens: '', lookFor: '' };
  return {
    name,
    file: name,
    ...texts,
    group,
    order,
    sources: [],
    status: 'broken',
    problem: { kind: 'no-default' },
  };
}

it('puts the known groups first, and within each what has an order, then by title', () => {
  const listed = [
    inGroup('a', 'Zoo'),
    inGroup('b', 'Navigation'),
    inGroup('c', 'Apes'),
    inGroup('d', 'Navigation'),
    inGroup('a', 'Navigation', 1),
  ];
  const last = inGroup('e', 'What goes over the wire');
  const groups = groupExperiments([...listed, last]).map(({ title, experiments }) => [
    title,
    experiments.map(({ name }) => name).join(''),
  ]);
  expect(groups).toEqual([
    ['What goes over the wire', 'e'],
    ['Navigation', 'bda'],
    ['Apes', 'c'],
    ['Zoo', 'a'],
  ]);
});

it('leads from one to the next of its group, and from the last nowhere', () => {
  const listed = [inGroup('b', 'One', 2), inGroup('x', 'Other', 1), inGroup('a', 'One', 1)];
  const [second, other, first] = listed;
  if (!first || !second || !other) throw new Error('One of them is missing');
  expect(findNext(first, listed)).toBe(second);
  expect(findNext(second, listed)).toBeUndefined();
  expect(findNext(other, listed)).toBeUndefined();
});
