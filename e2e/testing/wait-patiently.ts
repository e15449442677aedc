import { vi } from 'vitest';

/** Less than a test may take, so that it fails by what was waited for. One second, Vitest's own limit, fails on a busy machine. */
const limitMs = 15_000;

const { waitFor } = vi;

vi.waitFor = function waitPatiently(callback, options) {
  return waitFor(callback, typeof options === 'number' ? options : { timeout: limitMs, ...options });
};
