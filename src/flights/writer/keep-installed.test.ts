import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { openFlightsForReading } from './open-flights.ts';
import { createFlightWriter } from './sqlite-writer.ts';

it('keeps what an app told last, and forgets it with the app', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const writer = createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1_000, onDamage() {} });
  const read = () => {
    const database = openFlightsForReading(folder);
    const rows = database?.prepare('select app, name, inside, version from installed order by app, name').all();
    database?.close();
    return rows;
  };
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
