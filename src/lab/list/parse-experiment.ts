import { parseSync, type ESTree } from 'vite';

import type { ExperimentProblem } from './experiment.ts';

/** What one file says about itself. Nothing is run: a file says it in its first comment and in literals. */
type ParsedExperiment = {
  readonly title: string;
  readonly happens: string;
  readonly lookFor: string;
  readonly group: string | undefined;
  readonly order: number | undefined;
  readonly render: 'dynamic' | 'static';
  readonly fails: boolean;
};

export type ParsedFile =
  /** Something that experiments share: it is listed nowhere. */
  | {
      readonly kind: 'part';
      /** It begins with ‘use client’ or ‘use server’: nobody takes it for an experiment. */
      readonly isMarked: boolean;
      readonly parsed: ParsedExperiment;
      readonly imports: readonly string[];
    }
  | { readonly kind: 'experiment'; readonly parsed: ParsedExperiment; readonly imports: readonly string[] }
  | {
      readonly kind: 'broken';
      readonly problem: ExperimentProblem;
      readonly parsed: ParsedExperiment | undefined;
      readonly imports: readonly string[];
    };

type Texts = Pick<ParsedExperiment, 'title' | 'happens' | 'lookFor'>;

const lookForMark = /^look for:\s*/i;

/** The first line is the title. A line that begins with "Look for:" begins the last part. */
export function readDocComment(comment: string): Texts {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trim());
  const first = lines.findIndex((line) => line !== '');
  const title = lines[first] ?? '';
  const rest = lines.slice(first + 1);
  const mark = rest.findIndex((line) => lookForMark.test(line));
  const joined = (part: readonly string[]) => part.join(' ').replace(/\s+/g, ' ').trim();
  return {
    title,
    happens: joined(mark < 0 ? rest : rest.slice(0, mark)),
    lookFor: mark < 0 ? '' : joined(rest.slice(mark)).replace(lookForMark, ''),
  };
}

function unwrap(node: ESTree.Expression | null): ESTree.Expression | null {
  return node && (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression')
    ? unwrap(node.expression)
    : node;
}

function readLiteral(init: ESTree.Expression | null): unknown {
  const value = unwrap(init);
  if (value?.type === 'UnaryExpression' && value.operator === '-') {
    const number = readLiteral(value.argument);
    return typeof number === 'number' ? -number : undefined;
  }
  return value?.type === 'Literal' ? value.value : undefined;
}

/** The values of `export const <name> = <literal>`; undefined where it is no literal. */
function readConstants(body: ESTree.Program['body']): ReadonlyMap<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const statement of body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declaration.declarations) {
      if (id.type === 'Identifier') constants.set(id.name, readLiteral(init));
    }
  }
  return constants;
}

type Choices = Pick<ParsedExperiment, 'group' | 'order' | 'render' | 'fails'>;

const expectedExports = {
  group: {
    is: (value: unknown) => typeof value === 'string' && value.trim() !== '',
    expected: "export const group = '…'",
  },
  order: { is: (value: unknown) => typeof value === 'number', expected: 'export const order = 1' },
  render: {
    is: (value: unknown) => value === 'static' || value === 'dynamic',
    expected: "export const render = 'static'",
  },
  fails: { is: (value: unknown) => typeof value === 'boolean', expected: 'export const fails = true' },
} as const;

function findBadExport(constants: ReadonlyMap<string, unknown>): ExperimentProblem | undefined {
  for (const [name, { is, expected }] of Object.entries(expectedExports)) {
    if (constants.has(name) && !is(constants.get(name))) return { kind: 'bad-export', name, expected };
  }
  return undefined;
}

function readChoices(constants: ReadonlyMap<string, unknown>): Choices {
  const [group, order] = [constants.get('group'), constants.get('order')];
  return {
    group: typeof group === 'string' ? group : undefined,
    order: typeof order === 'number' ? order : undefined,
    render: constants.get('render') === 'static' ? 'static' : 'dynamic',
    fails: constants.get('fails') === true,
  };
}

const noTexts: Texts = { title: '', happens: '', lookFor: '' };
const noChoices: Choices = { group: undefined, order: undefined, render: 'dynamic', fails: false };

/** @param file its name decides whether it is TypeScript and JSX */
export function parseExperiment(file: string, source: string): ParsedFile {
  const { program, module, comments, errors } = parseSync(file, source);
  const [error] = errors;
  if (error) {
    const line = source.slice(0, error.labels[0]?.start ?? 0).split('\n').length;
    return {
      kind: 'broken',
      problem: { kind: 'syntax', file, message: error.message, line },
      parsed: undefined,
      imports: [],
    };
  }
  const exports = module.staticExports.flatMap(({ entries }) => entries);
  const imports = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...exports.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
  ];
  const directives = program.body.flatMap((statement) =>
    statement.type === 'ExpressionStatement' && 'directive' in statement ? [statement.directive] : [],
  );
  const firstStatement = program.body.find((statement) => !('directive' in statement))?.start ?? source.length;
  const comment = comments.find(
    ({ type, value, end }) => type === 'Block' && value.startsWith('*') && end <= firstStatement,
  );
  const hasDefault = exports.some(({ exportName }) => exportName.kind === 'Default' || exportName.name === 'default');
  const texts = comment ? readDocComment(comment.value.slice(1)) : noTexts;
  // Who writes what to look for means an experiment. Other comments stand above other files, too.
  const isMeant = texts.lookFor !== '';
  const isClients = directives.includes('use client');
  const isMarked = isClients || directives.includes('use server');
  if (directives.includes('use server') || (!isMeant && (isClients || !hasDefault))) {
    return { kind: 'part', isMarked, parsed: { ...texts, ...noChoices }, imports };
  }
  const constants = readConstants(program.body);
  const bad = findBadExport(constants);
  const parsed = { ...texts, ...(bad ? noChoices : readChoices(constants)) };
  if (isClients) return { kind: 'broken', problem: { kind: 'use-client' }, parsed, imports };
  if (!hasDefault) return { kind: 'broken', problem: { kind: 'no-default' }, parsed, imports };
  if (bad) return { kind: 'broken', problem: bad, parsed, imports };
  return { kind: 'experiment', parsed, imports };
}
