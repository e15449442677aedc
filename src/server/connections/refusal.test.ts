import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { refuseConnection } from './refusal.ts';

let lines: string[];

beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const refusal = { code: 'wrong-method', detail: 'CONNECT' } as const;

it('outlives a client that resets the connection while it is refused', async () => {
  const socket = new PassThrough();
  refuseConnection(socket, refusal);
  // Without a listener the error would be thrown.
  socket.destroy(Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' }));
  await new Promise((resolve) => socket.on('close', resolve));
  expect(socket.destroyed).toBe(true);
});

it('has a line for each of the first refusals, and then a count', () => {
  for (let n = 0; n < 50_100; n += 1) refuseConnection(new PassThrough(), refusal);
  expect(lines.filter((line) => line.includes('"request-refused"')).length).toBeLessThanOrEqual(50_000);
  vi.advanceTimersByTime(600_000);
  expect(lines.at(-1)).toContain('"requests-refused"');
});
