import { expect, test } from 'vitest';

import { startDevServer } from './testing/start-dev-server.ts';

test('a dev server that cannot start says why, in the terminal and to whoever asks', { timeout: 180_000 }, async () => {
  await using server = await startDevServer({ 'data/flight.db': 'This is no database.\n'.repeat(100) });
  const response = await fetch(`${server.origin}/lab`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({
    error: { code: 'not-started', message: expect.stringContaining('flight.db') },
  });
  expect(server.output()).toMatch(/^flight-recorder: .*flight\.db/m);
});
