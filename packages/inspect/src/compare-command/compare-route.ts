import { diffFlights, type DiffGroup, type Finding, type FlightDiff } from '#flight';

import type { InputFlight } from '../flight-command/read-input.ts';
import { makeReport, type Report } from '../flight-command/report.ts';
import { describeChanges } from './describe-changes.ts';
import { stripFigures, stripPassing } from './strip-passing.ts';

/** One side of a route. */
export type Answer = { readonly flight: InputFlight; readonly report: Report };

/**
 * - `same`: nothing that the app sends is another. Ids, hashes, times and what differs between two answers of one side do not count.
 * - `otherwise`: the same content in noticeably more or fewer bytes.
 */
type Verdict = 'same' | 'otherwise' | 'changed' | 'added' | 'removed';

export type ComparedRoute = {
  readonly path: string;
  readonly verdict: Verdict;
  readonly base: Answer | undefined;
  readonly head: Answer | undefined;
  /** What changed, by component, the largest first: `<ProductList> +19 kB: products grew by description`. */
  readonly changes: readonly string[];
  /** Client modules by name that one side alone sends. */
  readonly modules: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Findings that the base does not have, without secrets, and those that are gone. Waits are left out: they differ between answers. */
  readonly findings: { readonly added: readonly Finding[]; readonly removed: readonly Finding[] };
  readonly secrets: readonly Finding[];
};

/** The same content may be this much larger without a word: ids of rows get longer, a hash is. */
const unnoticedBytes = 200;
const unnoticedShare = 0.02;

const ofTime: ReadonlySet<Finding['kind']> = new Set(['wait', 'promise']);

/** Names the place of a difference, without the position in a list. */
function nameGroup({ inside, names }: DiffGroup): string {
  return [inside ?? '', ...names.map((name) => name.replace(/^\d+$/, '*'))].join('\0');
}

/** Places that differ between two answers of one side. */
function findVarying(flights: readonly Answer[]): Set<string> {
  const [first, ...others] = flights;
  const places = new Set<string>();
  for (const other of others) {
    if (!first) break;
    for (const group of diffFlights(first.report.flight, other.report.flight).groups) places.add(nameGroup(group));
  }
  return places;
}

/** What is added under another key or hash is the same, when the same is removed. */
function pairStripped(groups: readonly DiffGroup[]): Set<DiffGroup> {
  const removed = new Map<string, DiffGroup[]>();
  const nameOf = (group: DiffGroup, text = '') => `${nameGroup(group)}\0${group.count}\0${stripPassing(text)}`;
  for (const group of groups) {
    if (group.kind !== 'removed' || group.before?.isCut) continue;
    const name = nameOf(group, group.before?.text);
    removed.set(name, [...(removed.get(name) ?? []), group]);
  }
  const paired = new Set<DiffGroup>();
  for (const group of groups) {
    if (group.kind !== 'added' || group.after?.isCut) continue;
    const partner = removed.get(nameOf(group, group.after?.text))?.pop();
    if (partner) paired.add(group).add(partner);
  }
  return paired;
}

function isPassing({ kind, isOwnData, before, after }: DiffGroup): boolean {
  if (isOwnData) return true;
  if (kind !== 'changed' || !before || !after || before.isCut || after.isCut) return false;
  return stripPassing(before.text) === stripPassing(after.text);
}

/** The differences that the app's authors made. */
function listOwnGroups({ groups }: FlightDiff, varying: ReadonlySet<string>): DiffGroup[] {
  const paired = pairStripped(groups);
  return groups.filter((group) => !isPassing(group) && !paired.has(group) && !varying.has(nameGroup(group)));
}

/** Those of `own` that `others` has not, as often as they are there. */
function without<T>(own: readonly T[], others: readonly T[], nameOf: (one: T) => string): T[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(nameOf(other), (left.get(nameOf(other)) ?? 0) + 1);
  return own.filter((one) => {
    const name = nameOf(one);
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0;
  });
}

/** A module's id is one of the build, and its name is the author's. */
function listModules(answer: Answer | undefined): string[] {
  return (answer?.report.modules ?? [])
    .filter(({ isFrameworks }) => !isFrameworks)
    .map(({ name }) => name || 'default');
}

function listFindings(answer: Answer | undefined): Finding[] {
  return (answer?.report.findings ?? []).filter(({ kind }) => !ofTime.has(kind));
}

function nameFinding({ kind, title }: Finding): string {
  return `${kind} ${stripFigures(title)}`;
}

function sizeOf(answer: Answer | undefined): number {
  return answer?.report.sizes.flight ?? 0;
}

/** How far apart the answers of one side are. */
function spread(answers: readonly Answer[]): number {
  const sizes = answers.map(sizeOf);
  return Math.max(...sizes) - Math.min(...sizes);
}

/** What one side alone has, whichever that is. */
function listParts(base: Answer | undefined, head: Answer | undefined) {
  const [modulesBefore, modulesAfter] = [listModules(base), listModules(head)];
  const [before, after] = [listFindings(base), listFindings(head)];
  const added = without(after, before, nameFinding);
  return {
    modules: {
      added: without(modulesAfter, modulesBefore, (name) => name),
      removed: without(modulesBefore, modulesAfter, (name) => name),
    },
    findings: {
      added: added.filter(({ kind }) => kind !== 'secret'),
      removed: without(before, after, nameFinding),
    },
    secrets: added.filter(({ kind }) => kind === 'secret'),
  };
}

/** @param base and head: the answers of each side. The first is shown, the others tell what differs from answer to answer */
export function compareRoute(path: string, base: readonly InputFlight[], head: readonly InputFlight[]): ComparedRoute {
  const answers = (flights: readonly InputFlight[]) =>
    flights.map((flight): Answer => ({ flight, report: makeReport(flight) }));
  const [own, others] = [answers(base), answers(head)];
  const [before, after] = [own[0], others[0]];
  const parts = listParts(before, after);
  const route = { path, base: before, head: after, ...parts };
  if (!before || !after) return { ...route, verdict: before ? 'removed' : 'added', changes: [] };
  const attributions = { before: before.report.attribution, after: after.report.attribution };
  const diff = diffFlights(before.report.flight, after.report.flight, { attributions });
  const groups = listOwnGroups(diff, new Set([...findVarying(own), ...findVarying(others)]));
  const { modules, findings, secrets } = parts;
  const ofParts = [modules.added, modules.removed, findings.added, findings.removed, secrets];
  const hasOther =
    groups.length + diff.unlisted.groups + diff.notSent.length > 0 || ofParts.some(({ length }) => length > 0);
  if (hasOther) return { ...route, verdict: 'changed', changes: describeChanges(diff, groups) };
  const difference = Math.abs(sizeOf(after) - sizeOf(before)) - spread(own) - spread(others);
  const unnoticed = Math.max(unnoticedBytes, sizeOf(before) * unnoticedShare);
  return { ...route, verdict: difference > unnoticed ? 'otherwise' : 'same', changes: [] };
}
