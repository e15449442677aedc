import { readFileSync, writeFileSync } from 'node:fs';

import { parseAst, Visitor, type ESTree } from 'vite';

import { functionRangesFile, type FunctionRange, type FunctionRanges } from '#src/runtime/errors/function-ranges.ts';

/**
 * Writes beside a source map which ranges of the project's own sources are which functions: runtime/errors/source-maps.ts
 * names a browser's frames by it. Keeping the names in the bundles instead would cost every visitor a tenth more
 * JavaScript.
 *
 * A function is called as its source calls it: by itself, or by the variable, property or attribute that it is given to,
 * also through a call, as in `const save = useCallback(() => …)`.
 */
type Node = { readonly type: string; readonly start: number; readonly end: number };

const scriptSource = /\.[cm]?[jt]sx?$/;

function findLineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

function createLocator(text: string): (offset: number) => { line: number; column: number } {
  const starts = findLineStarts(text);
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) };
  };
}

function nameKey(key: ESTree.Node): string {
  switch (key.type) {
    case 'Identifier':
    case 'JSXIdentifier':
    case 'PrivateIdentifier':
      return key.name;
    case 'Literal':
      return String(key.value);
    case 'MemberExpression':
      return nameKey(key.property);
    default:
      return '';
  }
}

/** The functions of a source, outer ones first. */
export function listFunctions(text: string): FunctionRange[] {
  const locate = createLocator(text);
  const given = new Map<number, string>();
  const found: FunctionRange[] = [];

  function give(key: ESTree.Node, value: ESTree.Node | null): void {
    if (!value) return;
    const name = nameKey(key);
    given.set(value.start, name);
    if (value.type === 'CallExpression') for (const argument of value.arguments) given.set(argument.start, name);
    if (value.type === 'JSXExpressionContainer') give(key, value.expression);
  }
  function add(node: Node, id: ESTree.Node | null): void {
    const name = (id && nameKey(id)) ?? given.get(node.start) ?? '';
    found.push({ name, start: locate(node.start), end: locate(node.end) });
  }

  new Visitor({
    VariableDeclarator: ({ id, init }) => give(id, init),
    AssignmentExpression: ({ left, right }) => give(left, right),
    Property: ({ key, value }) => give(key, value),
    PropertyDefinition: ({ key, value }) => give(key, value),
    MethodDefinition: ({ key, value }) => give(key, value),
    JSXAttribute: ({ name, value }) => give(name, value),
    FunctionDeclaration: (node) => add(node, node.id),
    FunctionExpression: (node) => add(node, node.id),
    ArrowFunctionExpression: (node) => add(node, null),
  }).visit(parseAst(text, { lang: 'tsx' }));
  return found;
}

function isOwnScript(source: string): boolean {
  return scriptSource.test(source) && !source.includes('node_modules/');
}

/** `mapFile` is a map that this build wrote. */
export function writeFunctionRanges(mapFile: string): void {
  const map: { readonly sources: readonly string[]; readonly sourcesContent?: readonly (string | null)[] } = JSON.parse(
    readFileSync(mapFile, 'utf8'),
  );
  const ranges: Record<string, FunctionRanges[string]> = {};
  for (const [index, source] of map.sources.entries()) {
    const text = map.sourcesContent?.[index];
    if (typeof text === 'string' && isOwnScript(source)) ranges[source] = listFunctions(text);
  }
  writeFileSync(functionRangesFile(mapFile), JSON.stringify(ranges));
}
