import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it } from 'vitest';

const runner = path.join(import.meta.dirname, 'run.mjs');

const stage = (title, { code = 0, isNeeded = false } = {}) => ({
  title,
  args: ['--eval', `console.log('said by ${title}'); process.exitCode = ${code}`],
  ...(isNeeded ? { isNeeded } : {}),
});

function run(stages, ci = 'true', cwd = tmpdir()) {
  const script = `const { runStages } = await import(${JSON.stringify(runner)});
    await runStages(process.execPath, ${JSON.stringify(stages)}, { cwd: ${JSON.stringify(cwd)} });`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { ...process.env, CI: ci },
  });
  return {
    status,
    said: [...stdout.matchAll(/^said by (.*)$/gm)].map(([, title]) => title),
    last: stdout.trim().split('\n').at(-1),
  };
}

it('runs what is left after a stage that failed in CI, and nothing more on one’s own machine', () => {
  const stages = [stage('one', { code: 1 }), stage('two')];
  expect(run(stages)).toEqual({ status: 1, said: ['one', 'two'], last: '1 passed, 1 failed, 0 skipped' });
  expect(run(stages, '')).toEqual({ status: 1, said: ['one'], last: '0 passed, 1 failed, 0 skipped' });
});

it('ends when what the others need has failed, also beside others', () => {
  const stages = [[stage('one', { code: 1, isNeeded: true }), stage('two')], stage('three')];
  const { said, ...ended } = run(stages);
  expect(said.toSorted()).toEqual(['one', 'two']);
  expect(ended).toEqual({ status: 1, last: '1 passed, 1 failed, 0 skipped' });
});

it('runs the stages of a list at the same time, and prints what each wrote in one piece', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stages-'));
  // Each waits for a file of the other.
  const wait = (own, other) => ({
    title: own,
    args: [
      '--input-type=module',
      '--eval',
      `import { existsSync, writeFileSync } from 'node:fs';
       console.log('said by ${own}');
       writeFileSync('${own}', '');
       while (!existsSync('${other}')) await new Promise((resolve) => setTimeout(resolve, 5));
       console.log('said by ${own}, who met ${other}');`,
    ],
  });
  const { said, status } = run([[wait('one', 'two'), wait('two', 'one')]], 'true', folder);
  rmSync(folder, { recursive: true });
  expect(status).toBe(0);
  expect([said.slice(0, 2), said.slice(2)].toSorted()).toEqual([
    ['one', 'one, who met two'],
    ['two', 'two, who met one'],
  ]);
});
