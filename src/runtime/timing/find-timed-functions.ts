import path from 'node:path';

import { Visitor, type ESTree } from 'vite';

import { findUses } from './follow-results.ts';
import { listTopFunctions, readDirectives, type AnyFunction } from './list-top-functions.ts';

type Range = { readonly start: number; readonly end: number };

type FoundAwait = {
  readonly start: number;
  readonly argument: Range;
  /** What is awaited: `db.query`, `Promise.all`; empty where it has no short name. */
  readonly name: string;
  /** It uses what an earlier one gave, as far as can be seen; or what it waits for was begun before. */
  readonly uses: boolean;
};

/** A server component or a server function, and where something has to be written into it. */
export type FoundFunction = {
  readonly kind: 'component' | 'function';
  readonly name: string;
  readonly start: number;
  readonly isAsync: boolean;
  /** Of a block: behind its directives, and before its last brace. */
  readonly body: Range & { readonly kind: 'block' | 'expression' };
  /** Of its own, not of functions within it. */
  readonly awaits: readonly FoundAwait[];
  /** Where it goes on after an error, or whatever else came out of a `try`. */
  readonly entered: readonly number[];
};

/** What is read of a function, while its nodes are met. */
type Reading = {
  readonly node: AnyFunction;
  readonly kind: FoundFunction['kind'] | undefined;
  readonly name: string;
  readonly awaits: ESTree.AwaitExpression[];
  readonly entered: number[];
  hasElements: boolean;
  /** It waits where no expression says so: `for await`, `await using`. */
  hasHiddenWaits: boolean;
};

/** Of the whole module: where names and their settings are. */
type Written = { readonly names: (Range & { name: string })[]; readonly settings: { to: Range; from: Range }[] };

const componentName = /^[A-Z]/;
/** What a file of an API's route exports. */
const methodName = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)$/;
const awaitedName = /^(?:new )?[\w$]+(?:\.[\w$]+)*$/;
/** Beyond it a name is a sentence. */
const longestName = 60;

function nameAwaited(argument: ESTree.Expression, code: string): string {
  const named = argument.type === 'CallExpression' || argument.type === 'NewExpression' ? argument.callee : argument;
  const text = (argument.type === 'NewExpression' ? 'new ' : '') + code.slice(named.start, named.end);
  return text.length <= longestName && awaitedName.test(text) ? text : '';
}

const ofPromise = /^Promise\.(?:all|allSettled|any|race)$/;
const onPromise = /^(?:then|catch|finally)$/;

/** `await begun`, `await Promise.all([one, other])`, `await begun.then(…)`: it went on while something else was waited for. */
function wasBegun(argument: ESTree.Expression, code: string): boolean {
  if (argument.type === 'Identifier') return true;
  if (argument.type !== 'CallExpression' || argument.callee.type !== 'MemberExpression') return false;
  const { callee, arguments: given } = argument;
  if (ofPromise.test(code.slice(callee.start, callee.end))) {
    const [list] = given;
    return list?.type === 'ArrayExpression' && list.elements.every((element) => element?.type === 'Identifier');
  }
  return (
    callee.object.type === 'Identifier' && callee.property.type === 'Identifier' && onPromise.test(callee.property.name)
  );
}

function readBody({ body }: AnyFunction): FoundFunction['body'] | undefined {
  if (!body) return undefined;
  if (body.type !== 'BlockStatement') return { kind: 'expression', start: body.start, end: body.end };
  const start = readDirectives(body.body).at(-1)?.end ?? body.start + 1;
  return { kind: 'block', start, end: body.end - 1 };
}

function isUseServer(node: AnyFunction): boolean {
  if (node.body?.type !== 'BlockStatement') return false;
  return readDirectives(node.body.body).some(({ directive }) => directive === 'use server');
}

/** An element makes a component of what has a component's name; a function that waits may also return what others made. */
function isToTime({ kind, name, node, hasElements }: Reading, file: string): boolean {
  if (node.generator) return false;
  if (kind !== 'component') return kind === 'function';
  return hasElements || (node.async && !methodName.test(name) && !/\.[cm]?ts$/.test(file));
}

function toFound(reading: Reading, written: Written, code: string): FoundFunction | undefined {
  const { node, kind, name, entered, hasHiddenWaits } = reading;
  const body = readBody(node);
  if (!body || !kind) return undefined;
  // It would be the current one while whoever called it goes on: so it is not told.
  if (hasHiddenWaits) return undefined;
  const uses = findUses(
    reading.awaits.map((whole) => ({ whole, argument: whole.argument })),
    {
      names: written.names.filter(({ start }) => start >= node.start && start < node.end),
      settings: written.settings.filter(({ to }) => to.start >= node.start && to.start < node.end),
    },
  );
  const awaits = reading.awaits.map(({ start, argument }, index) => ({
    start,
    argument,
    name: nameAwaited(argument, code),
    uses: (uses[index] ?? true) || wasBegun(argument, code),
  }));
  return { kind, name, start: node.start, isAsync: node.async, body, awaits, entered };
}

/** @param file tells what kind of module it is, and what a page is called whose function has no name */
export function findTimedFunctions(program: ESTree.Program, code: string, file: string): FoundFunction[] {
  const directives = readDirectives(program.body).map(({ directive }) => directive);
  if (directives.includes('use client')) return [];
  const isActions = directives.includes('use server');
  const top = listTopFunctions(program, path.parse(file).name);
  const written: Written = { names: [], settings: [] };
  const noNames = new Set<number>();
  const open: Reading[] = [];
  const done: Reading[] = [];

  function chooseKind(node: AnyFunction): FoundFunction['kind'] | undefined {
    if (isUseServer(node)) return 'function';
    const found = top.get(node);
    if (!found) return undefined;
    if (isActions) return found.isExported && node.async ? 'function' : undefined;
    return found.isDefault || componentName.test(found.name) ? 'component' : undefined;
  }

  function enterFunction(node: AnyFunction): void {
    const name = top.get(node)?.name ?? node.id?.name ?? '';
    const found = { node, kind: chooseKind(node), name, awaits: [], entered: [] };
    open.push({ ...found, hasElements: false, hasHiddenWaits: false });
  }

  function exitFunction(): void {
    const reading = open.pop();
    if (reading && isToTime(reading, file)) done.push(reading);
  }

  function meetElement(): void {
    for (const reading of open) reading.hasElements = true;
  }

  function hideWaits(): void {
    const reading = open.at(-1);
    if (reading) reading.hasHiddenWaits = true;
  }

  function meetProperty({ key, computed, shorthand }: { key: Range; computed: boolean; shorthand: boolean }): void {
    if (!computed && !shorthand) noNames.add(key.start);
  }

  new Visitor({
    FunctionDeclaration: enterFunction,
    FunctionExpression: enterFunction,
    ArrowFunctionExpression: enterFunction,
    'FunctionDeclaration:exit': exitFunction,
    'FunctionExpression:exit': exitFunction,
    'ArrowFunctionExpression:exit': exitFunction,
    JSXElement: meetElement,
    JSXFragment: meetElement,
    AwaitExpression: (node) => void open.at(-1)?.awaits.push(node),
    CatchClause: ({ body }) => void open.at(-1)?.entered.push(body.start + 1),
    TryStatement({ finalizer }) {
      if (finalizer) open.at(-1)?.entered.push(finalizer.start + 1);
    },
    ForOfStatement(node) {
      if (node.await) hideWaits();
    },
    VariableDeclaration({ kind }) {
      if (kind === 'await using') hideWaits();
    },
    VariableDeclarator({ id, init }) {
      if (init) written.settings.push({ to: id, from: init });
    },
    AssignmentExpression: ({ left, right }) => void written.settings.push({ to: left, from: right }),
    Property: meetProperty,
    MemberExpression({ property, computed }) {
      if (!computed) noNames.add(property.start);
    },
    Identifier({ name, start, end }) {
      if (!noNames.has(start)) written.names.push({ name, start, end });
    },
  }).visit(program);

  return done
    .toSorted((a, b) => a.node.start - b.node.start)
    .flatMap((reading) => toFound(reading, written, code) ?? []);
}
