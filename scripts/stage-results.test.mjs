import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { root } from './prepare.mjs';
import { describeFailure, summarize, takeStageResults } from './stage-results.mjs';

function take(results, stage) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'results.json');
  if (results) writeFileSync(file, JSON.stringify(results));
  return takeStageResults(file, stage);
}

test('a failure is its file, its name, the first line of its message, and the seed that repeats it', () => {
  const error = new Error('\u001b[31mProperty failed\u001b[39m after 3 tests\n{ seed: -42, path: "1:2" }');
  expect(describeFailure(path.join(root, 'src/a.test.ts'), 'adds up', error)).toEqual({
    file: 'src/a.test.ts',
    name: 'adds up',
    message: 'Property failed after 3 tests (seed: -42)',
  });
});

test('a stage without tests is one thing that passed or failed', () => {
  expect(take(undefined, { title: 'format', hasFailed: false })).toMatchObject({ passed: 1, failures: [] });
  const failed = take(undefined, { title: 'format', hasFailed: true });
  expect(failed).toMatchObject({ passed: 0, failures: [{ name: 'format' }] });
});

test('a stage that failed names something, also where none of its tests did', () => {
  const results = { passed: 5, skipped: 1, failures: [], retried: [] };
  expect(take(results, { title: 'unit tests', hasFailed: true }).failures).toHaveLength(1);
});

test('the summary ends with the counts alone on their line', () => {
  const failure = { file: 'a.test.ts', name: 'adds up', message: 'expected 2' };
  const lines = summarize([
    { passed: 5, skipped: 1, failures: [failure], retried: [] },
    { passed: 2, skipped: 0, failures: [], retried: [{ file: 'b.test.ts', name: 'waits', message: 'too late' }] },
  ]);
  expect(lines.at(-1)).toBe('7 passed, 1 failed, 1 skipped');
  expect(lines).toContain('  a.test.ts · adds up · expected 2');
  expect(lines.indexOf('  b.test.ts · waits · too late')).toBeLessThan(lines.indexOf('Failed:'));
});
