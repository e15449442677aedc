import { afterEach, expect, test, vi } from 'vitest';

import { readServerSettings } from '#src/server/http/server-settings.ts';

import { isNodeSafe, warnOfOldNode } from './node-version.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['v24.22.1', true],
  ['v24.22.0', false],
  ['v24.21.9', false],
  ['v24.23.0', true],
  ['v26.0.0', true],
  ['v22.30.0', false],
])('%s', (version, isSafe) => expect(isNodeSafe(version)).toBe(isSafe));

test.each([
  ['others can reach it', { BASE_URL: 'https://flight.example' }, 'v24.22.0', 1],
  ['the Node is new enough', { BASE_URL: 'https://flight.example' }, 'v24.22.1', 0],
  ['only this machine can reach it', { BASE_URL: 'http://localhost:3000' }, 'v24.22.0', 0],
])('where %s', (_where, env, version, lines) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  warnOfOldNode(readServerSettings(env), version);
  expect(write).toHaveBeenCalledTimes(lines);
});
