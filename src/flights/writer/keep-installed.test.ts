import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { openFlightsForReading } from './open-flights.ts';
import { createFlightWriter } from './sqlite-writer.ts';

function open(query: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const writer = createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1_000, onDamage() {} });
  const read = () => {
    const database = openFlightsForReading(folder);
    const rows = database?.prepare(query).all();
    database?.close();
    return rows;
  };
  return { writer, read };
}

it('keeps what an app told last, and forgets it with the app', () => {
  const { writer, read } = open('select app, name, inside, version from installed order by app, name');
  writer.keepInstalled('shop', [
    { name: 'next', version: '16.0.6', within: '' },
    { name: 'react-router', version: '7.9.0', within: '' },
  ]);
  writer.keepInstalled('blog', [
    { name: 'react-server-dom-webpack', version: '19.2.4', within: '@vitejs/plugin-rsc 0.5.20' },
  ]);
  writer.keepInstalled('shop', [{ name: 'next', version: '16.4.6', within: '' }]);
  expect(read()).toEqual([
    { app: 'blog', name: 'react-server-dom-webpack', inside: '@vitejs/plugin-rsc 0.5.20', version: '19.2.4' },
    { app: 'shop', name: 'next', inside: '', version: '16.4.6' },
  ]);
  writer.deleteSlice('shop', 100);
  expect(read()).toMatchObject([{ app: 'blog' }]);
  writer.close();
});

it('keeps the modules of an app’s latest builds, and forgets them with the app', () => {
  const { writer, read } = open('select app, build, files_json as files from build_modules order by app, build');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const keep = (app: string, build: string, file: string) => {
    vi.setSystemTime(Date.now() + 1);
    writer.keepModules(app, build, [['7', file]]);
  };
  for (let build = 0; build < 10; build += 1) keep('shop', `b${build}`, 'a.tsx');
  keep('shop', 'b0', 'b.tsx');
  keep('blog', 'b1', 'c.tsx');
  keep('shop', 'c', 'a.tsx');
  const kept = read()?.filter(({ app }) => app === 'shop');
  expect(kept?.map(({ build }) => build)).toEqual(['b0', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `b${n}`), 'c']);
  expect(kept?.[0]).toMatchObject({ files: '[["7","b.tsx"]]' });
  writer.deleteSlice('shop', 100);
  expect(read()).toEqual([{ app: 'blog', build: 'b1', files: '[["7","c.tsx"]]' }]);
  writer.close();
});
