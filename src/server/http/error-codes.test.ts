import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { loginProblems } from '#src/access/login-problems.ts';

import { errorCodes } from './error-codes.ts';

it('docs/refusals.md lists every code with its status', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../../docs/refusals.md'), 'utf8');
  const listed = Array.from(text.matchAll(/^\| (\d{3}) +\| (`[^|]+`) +\|/gm), ([, status, codes = '']) =>
    Array.from(codes.matchAll(/`([\w-]+)`/g), ([, code]) => `${status} ${code}`),
  ).flat();
  const known = Object.entries({ ...errorCodes, ...loginProblems }).map(([code, { status }]) => `${status} ${code}`);
  expect(listed.toSorted()).toEqual(known.toSorted());
});
