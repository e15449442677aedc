import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { addOthers, parseCounts } from './other-counts.ts';
import { shareCounts } from './share-counts.ts';

const before = { connected: process.connected, send: process.send };
let told: unknown[] = [];

beforeEach(() => {
  told = [];
  vi.useFakeTimers();
  Object.assign(process, { connected: true, send: (message: unknown) => told.push(message) });
});

afterEach(() => {
  vi.useRealTimers();
  Object.assign(process, before);
});

function hear(text: string, topic = 'worker-counts'): void {
  process.emit('message', { type: 'news', topic, text }, undefined);
}

function hearOf(pid: number, unstored: number): void {
  hear(JSON.stringify({ pid, counts: { unstored } }));
}

it('tells what this worker has counted, at once and every five seconds', () => {
  let unstored = 1;
  const stop = shareCounts(() => parseCounts({ unstored }));
  unstored = 2;
  vi.advanceTimersByTime(5_000);
  stop();
  vi.advanceTimersByTime(60_000);
  const texts = [1, 2].map((count) => JSON.stringify({ pid: process.pid, counts: parseCounts({ unstored: count }) }));
  expect(told).toEqual(texts.map((text) => ({ type: 'news', topic: 'worker-counts', text })));
});

it('adds up what each of the others told last, and forgets it with its worker', () => {
  const stop = shareCounts(() => parseCounts({}));
  hearOf(1, 5);
  hearOf(1, 7);
  hearOf(2, 20);
  expect(addOthers('unstored', 100)).toBe(127);
  expect(addOthers('requests', 100)).toBe(100);
  vi.advanceTimersByTime(10_000);
  hearOf(2, 21);
  vi.advanceTimersByTime(10_000);
  expect(addOthers('unstored', 100)).toBe(121);
  stop();
  expect(addOthers('unstored', 100)).toBe(100);
});

it('takes nothing from what is not a count', () => {
  const stop = shareCounts(() => parseCounts({}));
  for (const text of ['no JSON', '5', '{"counts":{"unstored":5}}', '{"pid":1,"counts":{"unstored":"5"}}']) hear(text);
  hear('{"pid":1,"counts":{"unstored":5}}', 'sessions');
  expect(addOthers('unstored', 0)).toBe(0);
  stop();
});
