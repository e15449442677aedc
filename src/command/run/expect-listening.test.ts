import { createServer } from 'node:net';

import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { findFreePort } from '../ports.ts';
import { expectListening, patienceMs } from './expect-listening.ts';

let errors: string;

beforeEach(() => {
  errors = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((errors += String(text))));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const command = ['npm', 'run', 'dev'];
const program = 'npx flight-recorder';

it.each([
  ['http://localhost:5173', 'http://localhost:5173'],
  [undefined, 'http://localhost:<port>'],
])('says once where to look for an app that says %s and does not listen', async (found, shown) => {
  const port = await findFreePort();
  const expected = expectListening({ port, program, command, findAddress: () => found });
  await vi.advanceTimersByTimeAsync(patienceMs - 1);
  expect(errors).toBe('');
  await vi.advanceTimersByTimeAsync(patienceMs);
  expected.stop();
  expect(expected.isThere()).toBe(false);
  expect(errors).toBe(
    `flight-recorder: nothing listens at port ${port}, which the app was given as PORT. An app that chooses its port itself ` +
      `is started with npx flight-recorder run --to ${shown} -- npm run dev\n`,
  );
});

it.each(['localhost', '127.0.0.1', '::'])('says nothing of an app that listens on %s', async (address) => {
  const port = await findFreePort();
  const expected = expectListening({ port, program, command, findAddress: () => undefined });
  const server = createServer().listen(port, address);
  onTestFinished(() => void server.close());
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(200);
    expect(expected.isThere()).toBe(true);
  });
  await vi.advanceTimersByTimeAsync(2 * patienceMs);
  expect(errors).toBe('');
});

it('says nothing of an app that has ended', async () => {
  const expected = expectListening({ port: await findFreePort(), program, command, findAddress: () => undefined });
  expected.stop();
  await vi.advanceTimersByTimeAsync(2 * patienceMs);
  expect(errors).toBe('');
});
