import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { isRecord } from '#boundary';
import { runCompareCommand } from '#inspect/compare-command/run-compare-command.ts';

import { frameworks } from './all-frameworks.ts';
import { startFramework } from './start-app.ts';

/**
 * The same commit, built twice in two folders, as a pull request that changes nothing is: `compare` must say "no change" of every page,
 * whatever of a build is another each time (ids, names of chunks, the order in which rows come).
 */
const routes = ['/', '/heavy', '/about', '/blog/first', '/late', '/act'];

let out = '';

beforeEach(() => {
  out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
});

afterEach(() => {
  vi.restoreAllMocks();
  process.stdout.removeAllListeners('error');
});

/** What is said of each route: its verdict, and the lines about what changed. */
function readRoutes(json: unknown): unknown[] {
  const compared = isRecord(json) ? json['routes'] : undefined;
  if (!Array.isArray(compared)) throw new Error(`it is no comparison: ${out.slice(0, 2_000)}`);
  return compared.map((route: unknown) => {
    if (!isRecord(route)) return route;
    const { path, verdict, changes, modules, findings } = route;
    return verdict === 'same' ? { path, verdict } : { path, verdict, changes, modules, findings };
  });
}

test.each(frameworks)('$name, built twice, is no change', { timeout: 900_000 }, async (framework) => {
  await using base = await startFramework(framework);
  await using head = await startFramework(framework, '-again');
  const [one, other] = [base, head].map(({ port }) => `http://127.0.0.1:${port}`);
  const words = ['--json', '--max-growth', '0%', '--no-secrets', '--routes', routes.join(','), one ?? '', other ?? ''];
  const status = await runCompareCommand(words, 'compare', async () => '');
  const json: unknown = JSON.parse(out);
  expect(readRoutes(json)).toEqual(routes.map((path) => ({ path, verdict: 'same' })));
  expect(json).toMatchObject({ notCompared: [], exceeded: [] });
  expect(status).toBe(0);
});
