import { describe, expect, it } from 'vitest';

import { describeProblem } from './experiment.ts';
import { parseExperiment, readDocComment } from './parse-experiment.ts';

const doc = `/**
 * What props cost
 *
 * A client component is given
 * whole records.
 *
 * Look for: The size
 * of the flight.
 */
`;
const component = 'export default function Props() {\n  return <p />;\n}\n';

function problemOf(source: string) {
  const read = parseExperiment('a.tsx', source);
  return read.kind === 'broken' ? read.problem : read.kind;
}

describe('a doc comment', () => {
  it('has a title, what happens, and what to look for', () => {
    const read = parseExperiment('a.tsx', doc + component);
    expect(read).toMatchObject({
      kind: 'experiment',
      parsed: {
        title: 'What props cost',
        happens: 'A client component is given whole records.',
        lookFor: 'The size of the flight.',
        group: undefined,
        order: undefined,
        render: 'dynamic',
        fails: false,
      },
    });
  });

  it.each([
    ['* One line ', { title: 'One line', happens: '', lookFor: '' }],
    ['*\n * Title\n * at once', { title: 'Title', happens: 'at once', lookFor: '' }],
    ['*\n * Title\n *\n * look for: it\n * and this', { title: 'Title', happens: '', lookFor: 'it and this' }],
    ['*\n\n *\n', { title: '', happens: '', lookFor: '' }],
  ])('reads %j', (comment, texts) => {
    expect(readDocComment(comment.slice(1))).toEqual(texts);
  });

  it('stands first: another one further down is about something else', () => {
    const read = parseExperiment('a.tsx', `import 'x';\n${doc}${component}`);
    expect(read).toMatchObject({ kind: 'experiment', parsed: { title: '', lookFor: '' } });
    expect(parseExperiment('a.tsx', `'use strict';\n${doc}${component}`)).toMatchObject({
      parsed: { title: 'What props cost' },
    });
  });

  it('is no line comment, no plain block, and nothing in a text', () => {
    for (const comment of ['// Title\n', '/* Title */\n', `const text = '/** Title */';\n`]) {
      expect(parseExperiment('a.tsx', comment + component)).toMatchObject({ parsed: { title: '' } });
    }
  });
});

describe('exports', () => {
  it('choose group, place, rendering and failure', () => {
    const exports = `export const group = 'Data' as const, order = -2;
export const render: string = 'static';
export const fails = true;
`;
    expect(parseExperiment('a.tsx', doc + exports + component)).toMatchObject({
      kind: 'experiment',
      parsed: { group: 'Data', order: -2, render: 'static', fails: true },
    });
  });

  it.each([
    [`export const render = 'sometimes';`, 'render'],
    [`export const render = ['static'][0];`, 'render'],
    ['export const group = 3;', 'group'],
    [`export const group = ' ';`, 'group'],
    [`export const order = 'first';`, 'order'],
    ['export const fails = 1;', 'fails'],
  ])('say what %s should be', (line, name) => {
    expect(problemOf(`${doc}${line}\n${component}`)).toMatchObject({ kind: 'bad-export', name });
  });

  it('of other names are its own business', () => {
    expect(problemOf(`${doc}export const other = Math.random();\nexport function order2() {}\n${component}`)).toBe(
      'experiment',
    );
  });

  it.each([
    component,
    'function Props() {}\nexport { Props as default };',
    `export { Props as default } from './props.tsx';`,
    `export { default } from './props.tsx';`,
    'export default () => null;',
  ])('have the component as their default: %s', (code) => {
    expect(problemOf(doc + code)).toBe('experiment');
    expect(problemOf(code)).toBe('experiment');
  });
});

describe('what is no experiment', () => {
  it.each([
    ['a part with neither', 'export function Part() {}'],
    ['a client component', `'use client';\nexport default function Part() {}`],
    ['a client component with a comment', `'use client';\n/** A button. */\nexport default function Part() {}`],
    ['an action', `'use server';\n${doc}export async function act() {}`],
  ])('%s is a part', (_, code) => {
    expect(parseExperiment('a.tsx', code).kind).toBe('part');
  });
});

describe('what is broken says so', () => {
  it.each([
    ['without a component', `${doc}export function Props() {}`, 'no-default'],
    ['as a client component', `'use client';\n${doc}${component}`, 'use-client'],
    ['with a syntax error', `${doc}export default function Props( {\n`, 'syntax'],
  ])('%s', (_, code, kind) => {
    expect(problemOf(code)).toMatchObject({ kind });
  });

  it('names the line of a syntax error', () => {
    const problem = problemOf(`${doc}export default function Props() {\n  return <p;\n}\n`);
    expect(problem).toMatchObject({ kind: 'syntax', file: 'a.tsx', line: 11 });
    expect(typeof problem === 'object' && describeProblem(problem)).toMatch(/^a\.tsx cannot be read\. Line 11: .+/);
  });
});

it('lists what a file imports, also what it passes on', () => {
  const code = `import { a } from './a.tsx';
import type { B } from './b.ts';
export { c } from './c.ts';
export * from './d.ts';
import 'server-only';
const text = "import './e.ts'";
`;
  expect(parseExperiment('a.tsx', code).imports.toSorted()).toEqual([
    './a.tsx',
    './b.ts',
    './c.ts',
    './d.ts',
    'server-only',
  ]);
});
