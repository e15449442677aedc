import { expect, test, vi } from 'vitest';

import { decodeFlight } from '#flight';

import { countElsewhere, countFlight, stopCounting, type Counting } from './count-flight.ts';

function createTask() {
  const flight = decodeFlight(new TextEncoder().encode('0:["$","p",null,{"children":"text"}]\n'));
  return { flight, chunks: [] };
}

test('a flight is counted once for all who ask, and its gzip is that of its bytes', async () => {
  const task = createTask();
  const counting = countFlight(task);
  expect(countFlight({ ...task })).toBe(counting);
  expect((await counting.understood).total).toBe(task.flight.bytes.length);
  const stream = new Blob([task.flight.bytes.slice()]).stream().pipeThrough(new CompressionStream('gzip'));
  expect(await counting.gzip).toBe((await new Response(stream).arrayBuffer()).byteLength);
});

test('what is counted to its end stays counted; what was stopped is counted again', async () => {
  const finished = createTask();
  const first = countFlight(finished);
  await Promise.all([first.understood, first.gzip]);
  // The end is noted after both.
  await Promise.resolve();
  stopCounting(finished.flight);
  expect(countFlight(finished)).toBe(first);

  const stopped = createTask();
  const stop = vi.fn<() => void>();
  const never = new Promise<never>(() => {});
  const counter = vi.fn<() => Counting>(() => ({ understood: never, gzip: never, stop }));
  countElsewhere(stopped.flight, counter);
  countFlight(stopped);
  stopCounting(stopped.flight);
  expect(stop).toHaveBeenCalledOnce();
  countFlight(stopped);
  expect(counter).toHaveBeenCalledTimes(2);
});

test('after a failure the next who asks has it counted again', async () => {
  const task = createTask();
  const failed = Promise.reject(new Error('no memory'));
  const counter = vi.fn<() => Counting>(() => ({ understood: failed, gzip: failed, stop() {} }));
  countElsewhere(task.flight, counter);
  await expect(countFlight(task).understood).rejects.toThrow('no memory');
  await vi.waitFor(() => {
    countFlight(task);
    expect(counter).toHaveBeenCalledTimes(2);
  });
});
