import 'server-only';

import type { Experiment } from './experiment.ts';

export type ExperimentGroup = { readonly title: string; readonly experiments: readonly Experiment[] };

/** Each of its experiments needs only those before it. docs/course.md has the same ones, in the same order. */
const courseGroup = 'A course, step by step';

/** In the order that suits somebody new. Other groups follow by name. */
const knownGroups = [
  courseGroup,
  'What goes over the wire',
  'Errors and their digests',
  'Server actions',
  'Data',
  'Navigation',
];

function rankGroup(title: string): number {
  const at = knownGroups.indexOf(title);
  return at < 0 ? knownGroups.length : at;
}

function inOrder(one: Experiment, other: Experiment): number {
  return one.order - other.order || one.title.localeCompare(other.title, 'en');
}

/**
 * @param own the group of somebody's own folder: it comes first, and is there when it is empty
 */
export function groupExperiments(experiments: readonly Experiment[], own?: string): readonly ExperimentGroup[] {
  const groups = Map.groupBy(experiments.toSorted(inOrder), ({ group }) => group);
  const first = own === undefined ? [] : [{ title: own, experiments: groups.get(own) ?? [] }];
  const others = [...groups]
    .filter(([title]) => title !== own)
    .map(([title, members]) => ({ title, experiments: members }))
    .toSorted((one, other) => rankGroup(one.title) - rankGroup(other.title) || one.title.localeCompare(other.title));
  return [...first, ...others];
}

/** The one after it in its group: a course is a group. */
export function findNext({ name, group }: Experiment, experiments: readonly Experiment[]): Experiment | undefined {
  const members = experiments.filter((one) => one.group === group).toSorted(inOrder);
  return members[members.findIndex((one) => one.name === name) + 1];
}
