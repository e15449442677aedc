import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { noteFacts, printedLive } from './live-facts.ts';
import { readExperiments } from './read-experiments.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'facts-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  globalThis.__FLIGHT_LAB_FACTS__ = undefined;
});

function save(title: string, more = ''): string {
  const file = path.join(root, 'tried.tsx');
  writeFileSync(file, `/**\n * ${title}\n */\n${more}export default function Tried() {\n  return <p>one</p>;\n}\n`);
  noteFacts(readExperiments(root, [{ folder: root, group: 'Mine' }]));
  return file;
}

it('reads what a file says now, also where an experiment is spread over another object', async () => {
  const file = save('First');
  const text = `${printedLive}export const one = live(${JSON.stringify(file)}, { name: 'tried' });`;
  const { one } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`);
  expect({ ...one }).toMatchObject({ name: 'tried', title: 'First', fails: false, problem: undefined });

  save('Second', 'export const fails = true;\n');
  expect({ ...one }).toMatchObject({ name: 'tried', title: 'Second', fails: true });
  save('Second', 'export const order = "no";\n');
  expect(one.problem).toMatchObject({ kind: 'bad-export', name: 'order' });
  expect(Object.keys(one)).toEqual(
    expect.arrayContaining(['file', 'isUntitled', 'happens', 'lookFor', 'group', 'order', 'sources']),
  );
});
