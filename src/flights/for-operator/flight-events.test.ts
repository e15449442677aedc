import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { lifetimeMs } from './flight-events.ts';

it('is silent for no longer than the sample of nginx waits', () => {
  const sample = readFileSync(path.join(import.meta.dirname, '../../../deploy/nginx.conf'), 'utf8');
  const seconds = Number(/^\s*proxy_read_timeout (\d+)s;$/m.exec(sample)?.[1]);
  // Ten more for a busy machine.
  expect(seconds * 1_000).toBeGreaterThan(lifetimeMs + 10_000);
});
