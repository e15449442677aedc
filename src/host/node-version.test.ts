import { expect, test } from 'vitest';

import { isNodeSafe } from './node-version.ts';

test.each([
  ['v24.22.1', true],
  ['v24.22.0', false],
  ['v24.21.9', false],
  ['v24.23.0', true],
  ['v26.0.0', true],
  ['v22.30.0', false],
])('%s', (version, isSafe) => expect(isNodeSafe(version)).toBe(isSafe));
