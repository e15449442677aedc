import { existsSync, readdirSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { packages, printRooms, refuseImport, rooms, sortRooms } from './rooms.mjs';

const text = readFileSync(new URL('../AGENTS.md', import.meta.url), 'utf8');
const [, section = ''] = text.split('## Rooms');

test('AGENTS.md shows the rules that the rooms have at their tops', () => {
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  const shown = lines.map((line) => {
    const [, name = '', purpose = '', imports = ''] = line.split('|').map((cell) => cell.trim());
    return { name, purpose, imports };
  });
  expect(shown).toEqual(printRooms());
});

test('no rooms import each other in a circle, and each name is one of a room or a package', () => {
  const known = new Set([...rooms.keys(), ...packages.keys()]);
  expect(sortRooms().filter((name) => !known.has(name))).toEqual([]);
  expect(rooms.size).toBeLessThanOrEqual(14);
});

test('packages import nothing of src', () => {
  for (const [, { imports }] of packages) expect(imports.filter((name) => rooms.has(name))).toEqual([]);
});

test('every folder of src has a rule, and every path that a rule names is there', () => {
  const source = new URL('../src/', import.meta.url);
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !rooms.has(name))).toEqual([]);
  const named = Array.from(rooms, ([name, { inner, plain, server, browser, door }]) =>
    [...inner, ...plain, ...server, ...browser, ...door].map((file) => `${name}/${file.replace(/\/\*$/, '')}`),
  ).flat();
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((file) => !existsSync(new URL(file, source)))).toEqual([]);
});

test('inside a room, what stands below imports nothing of what stands above it', () => {
  const [recorder, writer, flight] = ['recorder/recorder', 'writer/messages', 'flight/flight-columns'].map(
    (file) => `src/flights/${file}.ts`,
  );
  expect(refuseImport(recorder, writer)).toBeUndefined();
  expect(refuseImport(writer, flight)).toBeUndefined();
  expect(refuseImport('src/flights/watch/start-watch.ts', recorder)).toBeUndefined();
  expect(refuseImport(writer, recorder)).toMatch(/^writer stands below recorder/);
  expect(refuseImport(flight, writer)).toMatch(/^flight stands below writer/);
});
