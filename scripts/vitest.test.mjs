import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

/** Fails `failures` times, then passes. */
function failing(name, failures) {
  const counted = `import { appendFileSync, readFileSync } from 'node:fs';
test('${name}', () => {
  const file = new URL('./${name}.count', import.meta.url);
  appendFileSync(file, '.');
  expect(readFileSync(file, 'utf8').length).toBeGreaterThan(${failures});
});`;
  return [`${name}.test.mjs`, counted];
}

function runFiles(files, env) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-vitest-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of files) writeFileSync(path.join(folder, name), text);
  // A run within a run would take this one's settings.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST|NODE_ENV|CI)/.test(name));
  const script = path.join(import.meta.dirname, 'vitest.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script, '--root', folder, '--globals'], {
    env: { ...Object.fromEntries(inherited), ...env },
    encoding: 'utf8',
  });
  return { status, again: stdout.split('Run once more, because they failed:')[1] };
}

test('in CI a file that failed is run once more, and no other', () => {
  const { status, again } = runFiles([failing('once', 1), failing('never', 0)], { CI: 'true' });
  expect(status).toBe(0);
  expect(again).toContain('once.test.mjs');
  expect(again).not.toContain('never');
});

test('a file that fails twice has failed', () => {
  const { status, again } = runFiles([failing('twice', 2)], { CI: 'true' });
  expect(status).toBe(1);
  expect(again).toContain('twice.test.mjs');
});

test('a file whose process is killed is run once more', () => {
  const [name, text] = failing('killed', 1);
  const files = [
    [
      name,
      text.replace(
        'expect(',
        "if (readFileSync(file, 'utf8').length === 1) process.kill(process.pid, 'SIGSEGV');\n  expect(",
      ),
    ],
  ];
  const { status, again } = runFiles(files, { CI: 'true' });
  expect(again).toContain('killed.test.mjs');
  expect(status).toBe(0);
});

test('an error outside of every test fails the run', () => {
  const outside = `test('outside', async () => {
  void Promise.reject(new Error('outside'));
  await new Promise(setImmediate);
});`;
  const files = [failing('once', 1), ['outside.test.mjs', outside]];
  expect(runFiles(files, { CI: 'true' })).toEqual({ status: 1, again: undefined });
});

test('where many fail, nothing is run again', () => {
  const files = ['one', 'two', 'three', 'four'].map((name) => failing(name, 1));
  expect(runFiles(files, { CI: 'true' })).toEqual({ status: 1, again: undefined });
  expect(runFiles(files.slice(1), { CI: 'true' }).status).toBe(0);
});

test("on one's own machine nothing is run again", () => {
  expect(runFiles([failing('once', 1)], {})).toEqual({ status: 1, again: undefined });
});
