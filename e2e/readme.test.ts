import { readFileSync } from 'node:fs';
import path from 'node:path';

import * as v from 'valibot';
import { expect, it } from 'vitest';

import { settingEntries } from '#src/server/environment/schema.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
}

const readme = read('README.md');
const settingsGuide = read('docs/settings.md');

/** Of the scripts: it is read before anything is installed, so it is not in the schema. */
const browserSetting = '`CHROMIUM_PATH`';

/** By the first cell: the others. */
function readRows(heading: string, text = readme): Record<string, string[]> {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| *-/.test(line));
  return Object.fromEntries(
    rows.slice(1).map((row) => {
      const [name = '', ...cells] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [name, cells];
    }),
  );
}

it('states the values that the runtime has', () => {
  const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
  const rows = readRows("The runtime's fixed values");
  expect(Object.fromEntries(Object.entries(rows).map(([name, [value]]) => [name, value]))).toEqual({
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

/** By its name: how the guide's table describes it. */
const settings = Object.fromEntries(
  Object.entries(settingEntries).map(([name, entry]) => {
    const metadata: Readonly<Record<string, unknown>> = v.getMetadata(entry);
    const unset = metadata['unset'] ?? (v.getDefault(entry) || undefined);
    const shown = unset === undefined ? 'none' : unset === 'see below' ? unset : `\`${String(unset)}\``;
    return [`\`${name}\``, [shown, v.getDescription(entry)]];
  }),
);

it('has each setting in the table of the guide, as the schema describes it', () => {
  expect(Object.values(settings).filter(([, meaning]) => !meaning)).toEqual([]);
  const { [browserSetting]: browser, ...rows } = readRows('Environment', settingsGuide);
  expect(rows).toEqual(settings);
  expect(browser).toEqual(['none', 'the browser for `npm test`']);
});

it('has the few settings that the README has, with the same values', () => {
  const rows = Object.entries(readRows('Environment'));
  expect(rows.length).toBeGreaterThan(3);
  for (const [name, [unset]] of rows) expect([name, settings[name]?.[0]]).toEqual([name, unset]);
});

const guides = [
  'README.md',
  ...[
    'data',
    'hosting',
    'postgresql',
    'reliability',
    'scale',
    'security',
    'security-proofs',
    'settings',
    'several-servers',
  ].map((name) => `docs/${name}.md`),
];

it('names no variable in the guides that nothing reads', () => {
  const known = new Set([
    ...Object.keys(settings),
    browserSetting,
    // The C library's, and a test's.
    '`MALLOC_ARENA_MAX`',
    '`OVERLOAD_SECONDS`',
  ]);
  const named = guides.flatMap((file) =>
    Array.from(read(file).matchAll(/`[A-Z]+(?:_[A-Z]+)+(?=[=`])/g), ([name]) => `${name}\``),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('starts dev where the server would listen', () => {
  const script = read('scripts/dev.mjs');
  expect(script).toContain(`process.env.HOST ?? '${v.getDefault(settingEntries.HOST)}'`);
  expect(script).toContain(`usual: '${v.getDefault(settingEntries.PORT)}'`);
});
