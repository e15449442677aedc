import * as v from 'valibot';

import { schema } from './schema.ts';

/**
 * The settings that come from the environment. Nothing else on the server looks into `process.env`: all variables are
 * parsed here, by schema.ts, when the first is asked for, and kept.
 *
 * A variable that cannot be right fails whoever asks for it, and nobody else: with a wrong `RECORD` the operator's
 * commands still copy the database. The server asks for all at its start (`checkSettings`), and names all that is wrong.
 */
export type Settings = v.InferOutput<typeof schema>;

export type ReadSetting = <Name extends keyof Settings>(name: Name) => Settings[Name];

/** `process.env`, or what a test has in its place. */
export type Variables = Readonly<Record<string, string | undefined>>;

type Problem = { readonly name: string; readonly line: string };

type Parsed = { readonly settings: Settings; readonly problems: readonly Problem[] };

/** An empty variable is an unset one: a unit or a compose file often cannot leave one out. */
function dropEmpty(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, text || undefined]));
}

function toProblem(issue: v.BaseIssue<unknown>): Problem {
  const name = String(issue.path?.[0]?.key);
  return { name, line: `${name} ${issue.message}` };
}

/** What is wrong is parsed as if it were unset; whoever asks for it gets the problem instead. */
function parseKnown(variables: Variables): Parsed {
  const parsed = v.safeParse(schema, variables);
  if (parsed.success) return { settings: parsed.output, problems: [] };
  const problems = parsed.issues.map(toProblem);
  const wrong = Object.fromEntries(problems.map(({ name }) => [name, undefined]));
  return { settings: parseKnown({ ...variables, ...wrong }).settings, problems };
}

function parse(variables: Variables): Parsed {
  return parseKnown(dropEmpty(variables));
}

function pick<Name extends keyof Settings>({ settings, problems }: Parsed, name: Name): Settings[Name] {
  const problem = problems.find((candidate) => candidate.name === name);
  if (problem) throw new Error(problem.line);
  return settings[name];
}

/** Reads `variables`. The reader throws with one line for the operator: the variable that is wrong, and what to do. */
export function readFrom(variables: Variables): ReadSetting {
  const parsed = parse(variables);
  return (name) => pick(parsed, name);
}

let isKept = true;
let kept: Parsed | undefined;

/** What the start checks is what is used afterwards: `process.env` is parsed once. */
function parseOnce(): Parsed {
  if (!isKept || !kept) kept = parse(process.env);
  return kept;
}

/**
 * This process's value of one variable.
 * @throws with one line for the operator when that variable is wrong
 */
export function readSetting<Name extends keyof Settings>(name: Name): Settings[Name] {
  return pick(parseOnce(), name);
}

/** @throws with one line for each thing that is wrong with any variable */
export function checkSettings(variables?: Variables): void {
  const { problems } = variables ? parse(variables) : parseOnce();
  if (problems.length > 0) throw new Error(problems.map(({ line }) => line).join('\n'));
}

/** For tests, which set variables as they go: from now on each reading looks again. @internal */
export function keepNoSettings(): void {
  isKept = false;
}
