import { readFile } from 'node:fs/promises';

import { formatBytes } from '#flight';
import { describeError } from '#boundary';

import { checkLimits, readBudget, type Limits } from '../flight-command/limits.ts';
import { choosePaint, complain, endWithReader, write } from '../flight-command/output.ts';
import { writeOneFile, type ReadTemplate } from '../flight-command/write-one-file.ts';
import { isAddress, readCompareArguments, writeCompareUsage, type CompareAsked } from './compare-arguments.ts';
import { compareRoute, type ComparedRoute } from './compare-route.ts';
import { exceedsGrowth } from './describe-route.ts';
import { isRecording, readRecording, type Recording } from './read-recording.ts';
import { findRoutes, naming, readSide, type Side } from './read-side.ts';
import {
  printComparison,
  toOneFile,
  writeComparisonJson,
  writeComparisonMarkdown,
  type Comparison,
} from './write-comparison.ts';

/** `compare <base> <head>`: what changed in the payloads of an app. Only the comparison goes to standard output. */
const unusable = 2;
const failed = 1;

function say(text: string): void {
  complain(text, 'compare');
}

/** Progress is for who waits in front of a terminal. */
function tell(address: string): void {
  if (process.stderr.isTTY) say(`asks ${address}`);
}

/** @returns what was recorded, of each of the two that is a recorder's list. @throws in words */
async function readRecordings({ base, head }: CompareAsked): Promise<ReadonlyMap<string, Recording>> {
  const found = new Map<string, Recording>();
  for (const source of [base, head].filter(isRecording)) found.set(source, await naming(source, readRecording(source)));
  return found;
}

/** The routes of either side: one that only the head has is new. @throws in words */
async function listPaths(asked: CompareAsked, recordings: ReadonlyMap<string, Recording>): Promise<string[]> {
  const { base, head, routes, headers } = asked;
  if (routes.length > 0) return [...routes];
  const found = await Promise.all(
    [base, head].filter(isAddress).map((address) => {
      // Links lead to pages that nobody asked for.
      if (recordings.size > 0) return recordings.get(address)?.paths ?? [];
      return naming(address, findRoutes(address, headers));
    }),
  );
  return [...new Set(found.flat())];
}

async function readSides(asked: CompareAsked): Promise<{ readonly base: Side; readonly head: Side } | undefined> {
  try {
    const recordings = await readRecordings(asked);
    const paths = await listPaths(asked, recordings);
    const compared = recordings.size > 0 ? 'document' : 'navigation';
    const asking = { headers: asked.headers, compared, tell } as const;
    const read = (source: string): Promise<Side> => readSide(source, recordings.get(source), paths, asking);
    return { base: await read(asked.base), head: await read(asked.head) };
  } catch (error) {
    say(describeError(error));
    return undefined;
  }
}

async function readLimits(budget: string | undefined): Promise<Limits | undefined> {
  if (budget === undefined) return {};
  try {
    const result = readBudget(await readFile(budget, 'utf8'));
    if (result.kind === 'limits') return result.limits;
    say(`the budget ${budget}: ${result.reason}`);
  } catch (error) {
    say(`the budget ${budget} cannot be read: ${describeError(error)}`);
  }
  return undefined;
}

function listExceeded(route: ComparedRoute, { maxGrowth, noSecrets }: CompareAsked, limits: Limits): string[] {
  const growth = maxGrowth && exceedsGrowth(route, maxGrowth);
  return [
    ...(growth === undefined ? [] : [growth]),
    ...(noSecrets ? route.secrets.map(({ title }) => title.replace(/\.$/, '')) : []),
    ...(route.head ? checkLimits(route.head.report, limits) : []),
  ].map((line) => `${route.path}: ${line}`);
}

type Sides = { readonly base: Side; readonly head: Side };

/** Of a recording, what is not in it says nothing. */
function listUnrecorded({ base, head }: Sides): { readonly paths: ReadonlySet<string>; readonly problems: string[] } {
  const paths = new Set<string>();
  const problems: string[] = [];
  for (const [side, other] of [
    [base, head],
    [head, base],
  ] as const) {
    if (!side.recorded) continue;
    for (const path of other.routes.keys()) {
      if (side.routes.has(path)) continue;
      paths.add(path);
      problems.push(
        `${path} ${side.recorded.has(path) ? 'could not be read from' : 'has no whole answer of status 200 in'} ${side.name}`,
      );
    }
  }
  return { paths, problems };
}

function compareSides(asked: CompareAsked, { base, head }: Sides, limits: Limits): Comparison {
  const unrecorded = listUnrecorded({ base, head });
  const paths = new Set([...base.routes.keys(), ...head.routes.keys()]);
  const routes = [...paths]
    .filter((path) => !unrecorded.paths.has(path))
    .map((path) => compareRoute(path, base.routes.get(path) ?? [], head.routes.get(path) ?? []));
  return {
    base: base.name,
    head: head.name,
    routes,
    problems: [...base.problems, ...head.problems, ...unrecorded.problems],
    exceeded: routes.flatMap((route) => listExceeded(route, asked, limits)),
  };
}

async function save(target: string, comparison: Comparison, readTemplate: ReadTemplate): Promise<boolean> {
  try {
    const size = await writeOneFile(target, toOneFile(comparison), readTemplate);
    say(`${target} has every route, in ${formatBytes(size)}`);
    return true;
  } catch (error) {
    say(`${target} cannot be written: ${describeError(error)}`);
    return false;
  }
}

function writeAs(comparison: Comparison, format: CompareAsked['format']): Iterable<string> {
  switch (format) {
    case 'json':
      return [writeComparisonJson(comparison)];
    case 'markdown':
      return [writeComparisonMarkdown(comparison)];
    case 'text':
      return printComparison(comparison, choosePaint());
  }
}

/** @param program how the command was called, for its usage */
export async function runCompareCommand(
  words: readonly string[],
  program: string,
  readTemplate: ReadTemplate,
): Promise<number> {
  endWithReader();
  const command = readCompareArguments(words);
  if (command.kind === 'help') {
    process.stdout.write(writeCompareUsage(program));
    return 0;
  }
  if (command.kind === 'wrong') {
    say(command.reason);
    process.stderr.write(`Try ${program} --help\n`);
    return unusable;
  }
  const limits = await readLimits(command.budget);
  const sides = limits && (await readSides(command));
  if (!limits || !sides) return unusable;
  const comparison = compareSides(command, sides, limits);
  if (comparison.routes.length === 0) {
    for (const problem of comparison.problems) say(problem);
    say('there is no Flight to compare');
    return unusable;
  }
  if (command.html !== undefined && !(await save(command.html, comparison, readTemplate))) return unusable;
  await write(writeAs(comparison, command.format));
  for (const line of comparison.exceeded) say(line);
  return comparison.exceeded.length > 0 ? failed : 0;
}
