import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { readExperiments } from './read-experiments.ts';

it('docs/course.md has the experiments of the course in their order, each with the question that its file asks', () => {
  const read = readExperiments('.', [{ folder: 'src/lab', group: 'Others' }]);
  const course = read
    .filter(({ group }) => group === 'A course, step by step')
    .toSorted((one, other) => one.order - other.order);
  expect(course.length).toBeGreaterThan(10);
  const lines = readFileSync('docs/course.md', 'utf8').matchAll(
    /^\| (\d+) +\| \[(.+?)\]\(http:\/\/127\.0\.0\.1:3000\/lab\/about\/([a-z-]+)\) +\| (.+?) +\|/gm,
  );
  const table = Array.from(lines, ([, step, title, name, question = '']) => ({
    step: Number(step),
    title,
    name,
    question,
  }));
  expect(table.map(({ step, title, name }) => ({ step, title, name }))).toEqual(
    course.map(({ order, title, name }) => ({ step: order, title, name })),
  );
  for (const [at, { question }] of table.entries()) expect(course[at]?.happens).toContain(question);
});
