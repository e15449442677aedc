import { connect, createServer } from 'node:net';

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

const explain = () => 'nothing listens';

it('says once what is the matter with an app that does not listen', async () => {
  const onThere = vi.fn();
  const stop = expectListening({ port: await findFreePort(), explain, onThere });
  await vi.advanceTimersByTimeAsync(patienceMs - 1);
  expect(errors).toBe('');
  await vi.advanceTimersByTimeAsync(patienceMs);
  stop();
  expect([errors, onThere.mock.calls.length]).toEqual(['flight-recorder: nothing listens\n', 0]);
});

it.each(['localhost', '127.0.0.1', '::'])('says nothing of an app that listens on %s', async (address) => {
  const port = await findFreePort();
  const onThere = vi.fn();
  onTestFinished(expectListening({ port, explain, onThere }));
  const server = createServer().listen(port, address);
  onTestFinished(() => void server.close());
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(200);
    expect(onThere).toHaveBeenCalledOnce();
  });
  await vi.advanceTimersByTimeAsync(2 * patienceMs);
  expect([errors, onThere.mock.calls.length]).toEqual(['', 1]);
});

it('says nothing of an app that has ended, and looks no more', async () => {
  const port = await findFreePort();
  const onThere = vi.fn();
  const stop = expectListening({ port, explain, onThere });
  stop();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  for (let looks = 0; looks < 5; looks += 1) await vi.advanceTimersByTimeAsync(patienceMs);
  // A connection that was asked for before is there when this one is.
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.destroy();
  expect([errors, onThere.mock.calls.length]).toEqual(['', 0]);
});
