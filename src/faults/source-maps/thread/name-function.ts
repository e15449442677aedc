import { getHeapStatistics } from 'node:v8';

import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@lezer/javascript';

/**
 * Which function of a source contains a position, read from the source itself. A bundle's names are the minifier's, and a map only
 * says what an identifier was called: at a call, the function that is called, which is React's own word for whatever it renders.
 *
 * A function is called as V8 calls it: by its own name, with its class before it (`Cart.add`, `Cart` for the constructor); without
 * one by the variable, property or attribute that it is given to, also through a call (`const save = useCallback(() => …)`).
 * Callbacks have no name: `anonymous in save`.
 *
 * The source is a stranger's text. The parser goes on behind errors, and where it cannot know what a token begins it follows both
 * ways, each with a copy of all that is open: brackets, but operators and types as well. So what it takes is bounded as well as the length.
 */

/** 4,000 lines. This much takes 0.1 s. */
const longestParsed = 128 * 1024;
/**
 * Four times what any part of React DOM or Vite of that length takes. The whole heap of the thread does not fit beside a server of
 * 256 MiB: what fills it makes the server turn requests away.
 */
const mostHeapBytes = 24 * 1024 * 1024;
/** Of the parser: 0.1 ms of usual code. */
const stepsBetweenLooks = 64;
const longestName = 200;

const dialects: Readonly<Record<string, string>> = {
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  js: 'jsx',
  mjs: 'jsx',
  cjs: 'jsx',
  jsx: 'jsx',
  tsx: 'ts jsx',
};

/** The dialect, by how the name ends; undefined for what is no script, as a Vue component. */
function readDialect(source: string): string | undefined {
  const ending = /\.([cm]?[jt]sx?)(?:\?[\da-z]*)?$/i.exec(source)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : dialects[ending];
}

export type ParsedSource = { readonly text: string; readonly tree: Tree };

/** Returns undefined where it takes too much. */
function parseInBounds(dialect: string, text: string): Tree | undefined {
  const parse = parser.configure({ dialect }).startParse(text);
  const before = getHeapStatistics().used_heap_size;
  for (let steps = 1; ; steps += 1) {
    const tree = parse.advance();
    if (tree) return tree;
    if (steps % stepsBetweenLooks !== 0) continue;
    if (getHeapStatistics().used_heap_size - before > mostHeapBytes) return undefined;
  }
}

/** Returns undefined for what is no script, too long, or such as no person wrote. */
export function parseSource(source: string, text: string): ParsedSource | undefined {
  const dialect = readDialect(source);
  if (dialect === undefined || text.length > longestParsed) return undefined;
  try {
    const tree = parseInBounds(dialect, text);
    return tree && { text, tree };
  } catch (error) {
    // Nested too deep for the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunction', 'MethodDeclaration']);
const keys = [
  'VariableDefinition',
  'PropertyDefinition',
  'PrivatePropertyDefinition',
  'JSXIdentifier',
  'JSXNamespacedName',
];

/** `{ save() {} }`: a property that is a function itself. */
function isFunction(node: SyntaxNode): boolean {
  return functions.has(node.name) || (node.name === 'Property' && node.getChild('ParamList') !== null);
}

function readText({ text }: ParsedSource, node: SyntaxNode | null | undefined): string {
  return node ? text.slice(node.from, Math.min(node.to, node.from + longestName)) : '';
}

/** The name that a declaration, a property or an attribute gives. */
function readKey(parsed: ParsedSource, node: SyntaxNode): string {
  for (const key of keys) {
    const found = node.getChild(key);
    if (found) return readText(parsed, found);
  }
  // `{ ['save']: … }`, `{ 'save': … }`
  const text = readText(parsed, node.getChild('String'));
  return text.slice(1, -1);
}

/** `a.b.save = …`: `save`. */
function readTarget(parsed: ParsedSource, target: SyntaxNode | null): string {
  if (target?.name === 'VariableName') return readText(parsed, target);
  if (target?.name !== 'MemberExpression') return '';
  return readText(parsed, target.getChild('PropertyName') ?? target.getChild('PrivatePropertyName'));
}

/** `useCallback(…)`, `React.memo(…)`, but not `items.map(…)`: what is given to a method is no definition. */
function isWrapper(parsed: ParsedSource, call: SyntaxNode): boolean {
  const callee = call.firstChild;
  if (callee?.name === 'VariableName') return true;
  return callee?.name === 'MemberExpression' && /^[A-Z_]\w*\./.test(readText(parsed, callee));
}

function nameClass(parsed: ParsedSource, member: SyntaxNode): string {
  const owner = member.parent?.parent;
  if (!owner) return '';
  return readText(parsed, owner.getChild('VariableDefinition')) || nameByPlace(parsed, owner);
}

function withClass(parsed: ParsedSource, member: SyntaxNode, name: string): string {
  const owner = nameClass(parsed, member);
  if (owner === '') return name;
  return name === 'constructor' ? owner : `${owner}.${name}`;
}

/** What is defined as the last child: of `const a = 1, save = …`, the name before the value. */
function readDeclared(parsed: ParsedSource, value: SyntaxNode): string {
  for (let before = value.prevSibling; before; before = before.prevSibling) {
    if (before.name === 'VariableDefinition') return readText(parsed, before);
    if (before.name === ',') return '';
  }
  return '';
}

/** What the value is given to; empty when to nothing that has a name. */
function nameByPlace(parsed: ParsedSource, value: SyntaxNode): string {
  for (let node = value; node.parent; node = node.parent) {
    const parent = node.parent;
    switch (parent.name) {
      case 'VariableDeclaration':
        return readDeclared(parsed, node);
      case 'AssignmentExpression':
        return readTarget(parsed, parent.firstChild);
      case 'Property':
        return readKey(parsed, parent);
      case 'PropertyDeclaration':
        return withClass(parsed, parent, readKey(parsed, parent));
      case 'JSXAttribute':
        return readKey(parsed, parent);
      case 'CallExpression':
        if (!isWrapper(parsed, parent)) return '';
        break;
      case 'ArgList':
      case 'JSXEscape':
      case 'ParenthesizedExpression':
      case 'BinaryExpression':
        // `BinaryExpression` is what `… as Type` and `… satisfies Type` are read as.
        break;
      default:
        return '';
    }
  }
  return '';
}

function nameOf(parsed: ParsedSource, node: SyntaxNode): string {
  switch (node.name) {
    case 'MethodDeclaration':
      return withClass(parsed, node, readKey(parsed, node));
    case 'Property':
      return readKey(parsed, node);
    default:
      return readText(parsed, node.getChild('VariableDefinition')) || nameByPlace(parsed, node);
  }
}

/** Without a list of all lines, which may take a hundred times the text. @param line from 0 */
export function findLineStart(text: string, line: number): number | undefined {
  let start = 0;
  for (let at = 0; at < line; at += 1) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return undefined;
  }
  return start;
}

function findOffset(text: string, line: number, column: number): number | undefined {
  const start = findLineStart(text, line);
  return start === undefined || start + column > text.length ? undefined : start + column;
}

/**
 * The name of the function around a position; empty at the top level. Undefined where the source has no such position.
 * @param line from 0
 * @param column from 0
 */
export function nameFunctionAt(parsed: ParsedSource, line: number, column: number): string | undefined {
  const offset = findOffset(parsed.text, line, column);
  if (offset === undefined) return undefined;
  let isInside = false;
  for (let node: SyntaxNode | null = parsed.tree.resolveInner(offset, 1); node; node = node.parent) {
    if (!isFunction(node)) continue;
    const name = nameOf(parsed, node);
    if (name !== '') return (isInside ? `anonymous in ${name}` : name).slice(0, longestName);
    isInside = true;
  }
  return isInside ? 'anonymous' : '';
}
