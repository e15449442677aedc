import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { fillOneFile, oneFilePlaces } from '#flight';

import { root } from './prepare.mjs';

let folder;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-lab-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As it is called where nobody can be asked. */
function runLab(...args) {
  const script = path.join(root, 'scripts/lab.mjs');
  const env = { ...process.env, INIT_CWD: folder };
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    input: '',
    env,
  });
  return { status, stderr };
}

async function share(name, texts) {
  const html = await fillOneFile(`${oneFilePlaces.title}${oneFilePlaces.saved}`, {
    title: 'Experiment: Shared\u001b[2J',
    savedAt: '2026-01-01T00:00:00.000Z',
    flights: [],
    comparisons: [],
    texts,
  });
  writeFileSync(path.join(folder, name), html);
}

it('says that a shared experiment is code that will run, and writes nothing before somebody agrees', async () => {
  await share('shared.html', [{ title: 'Source of src/lab/shared-by-a-test.tsx', text: 'export default () => null;' }]);
  const { status, stderr } = runLab('shared.html');
  expect(status).toBe(1);
  expect(stderr).toContain('src/lab/shared-by-a-test.tsx');
  expect(stderr).toContain('It runs on this machine, with your rights');
  expect(stderr).toContain('Nothing was written');
  expect(stderr).not.toContain('\u001b');
  expect(existsSync(path.join(root, 'src/lab/shared-by-a-test.tsx'))).toBe(false);
});

it('never writes over an experiment that is there, also when it was told yes', async () => {
  await share('props.html', [{ title: 'Source of src/lab/props.tsx', text: 'export default () => null;' }]);
  const { status, stderr } = runLab('props.html', '--yes');
  expect(status).toBe(1);
  expect(stderr).toContain('props.tsx is there already, and is another one');
});

it('names what is wrong with a file in one line', async () => {
  await share('empty.html', []);
  expect(runLab('empty.html').stderr).toMatch(/^flight-recorder: empty\.html has no experiment in it[^\n]*\n$/);
  expect(runLab('none.html').stderr).toMatch(/^flight-recorder: there is no file [^\n]*none\.html\n$/);
});
