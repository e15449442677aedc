import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { runtimeSettings } from '#src/runtime/settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

const hosting = readFileSync(new URL('../docs/hosting.md', import.meta.url), 'utf8');

function readTable(heading: string, text = readme): Record<string, string> {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| *-/.test(line));
  return Object.fromEntries(
    rows.slice(1).map((row) =>
      row
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    ),
  );
}

it('states the values that the runtime has', () => {
  const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
  expect(readTable("The runtime's fixed values")).toEqual({
    'prefetched dynamic page lifetime': seconds(runtimeSettings.prefetchDynamicLifetimeMs),
    'prefetched static page lifetime': seconds(runtimeSettings.prefetchStaticLifetimeMs),
    'concurrent prefetches': String(runtimeSettings.concurrentPrefetches),
    'route loading timeout': seconds(runtimeSettings.routeLoadingTimeoutMs),
    'page data retries on server errors': String(runtimeSettings.pageDataRetries),
    'breadcrumbs kept': String(runtimeSettings.breadcrumbsKept),
    'baggage header limit': `${runtimeSettings.baggageMaxLength} characters`,
  });
  expect(Object.keys(runtimeSettings).length).toBe(7);
});

it('names every environment variable that the server and the scripts read', () => {
  const folders = ['src', 'scripts'];
  const read = new Set<string>();
  for (const folder of folders) {
    const root = new URL(`../${folder}/`, import.meta.url);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:tsx?|mjs)$/.test(entry.name) || entry.name.includes('.test.')) continue;
      const text = readFileSync(path.join(entry.parentPath, entry.name), 'utf8');
      for (const match of text.matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)\b/g)) if (match[1]) read.add(match[1]);
    }
  }
  // Set by the program that starts the server, or for one run of a test: not by the operator.
  for (const name of [
    'CI',
    'DEV',
    'DISPLAY',
    'FLIGHT_RUNS',
    'FLIGHT_SEED',
    'INIT_CWD',
    'MODE',
    'NODE_ENV',
    'NO_COLOR',
    'PATH',
    'PROD',
    'SSH_CONNECTION',
    'SSR',
    'WAKU_BUILD_ID',
    'WAKU_CONFIG_BASE_PATH',
    'WAYLAND_DISPLAY',
  ]) {
    read.delete(name);
  }
  expect(
    Object.keys(readTable('Environment', hosting))
      .map((name) => name.replaceAll('`', ''))
      .toSorted(),
  ).toEqual([...read].toSorted());
  // The README repeats a few of them, in the same words.
  expect(readTable('Environment', hosting)).toMatchObject(readTable('Environment'));
});
