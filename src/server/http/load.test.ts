import { setImmediate } from 'node:timers/promises';

import { expect, it, vi } from 'vitest';

import { createLoad } from './load.ts';

/** Keeps the event loop from everything else for `ms`. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('notices that everything runs late, and says so once', { timeout: 20_000 }, async () => {
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  // As development leaves it when it makes the server anew.
  createLoad().start();
  const load = createLoad();
  const stop = load.start();
  try {
    expect(load.level()).toBe('calm');
    const deadline = performance.now() + 15_000;
    while (load.level() === 'calm' && performance.now() < deadline) {
      block(250);
      await setImmediate();
    }
    expect(load.level()).toBe('no-reports');
    expect(log).toHaveBeenCalledOnce();
    const line: unknown = JSON.parse(String(log.mock.calls[0]?.[0]));
    expect(line).toMatchObject({ level: 'warn', event: 'load-level', load: 'no-reports', delayMs: expect.any(Number) });
    expect(line).toHaveProperty(
      'ownWorkPercent',
      expect.toSatisfy((percent: number) => percent > 0 && percent < 1_000),
    );
    expect(line).toHaveProperty(
      'delayMs',
      expect.toSatisfy((ms: number) => ms > 200 && ms < 2_000),
    );
  } finally {
    stop();
    log.mockRestore();
  }
});
