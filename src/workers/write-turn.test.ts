import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createTurnUser, type Give } from './write-turn.ts';

let asked: number;
let given: number;

function open() {
  return createTurnUser({ ask: () => (asked += 1), giveBack: () => (given += 1) });
}

beforeEach(() => {
  asked = 0;
  given = 0;
  vi.useFakeTimers();
});

afterEach(() => void vi.useRealTimers());

/** Whether it has resolved by now. */
async function isThere(promise: Promise<Give>): Promise<boolean> {
  let hasCome = false;
  void promise.then(() => (hasCome = true));
  await vi.advanceTimersByTimeAsync(0);
  return hasCome;
}

it('asks once for all that wait, and gives back when the last is done', async () => {
  const turn = open();
  const [one, two] = [turn.take(), turn.join()];
  expect([asked, await isThere(one), await isThere(two)]).toEqual([1, false, false]);
  turn.begin();
  const gives = await Promise.all([one, two]);
  gives[0]();
  gives[0]();
  expect(given).toBe(0);
  gives[1]();
  expect([asked, given]).toEqual([1, 1]);
});

it('shares a turn that is there with who has the connection, always, and with others for a while', async () => {
  const turn = open();
  const first = turn.take();
  turn.begin();
  const giveFirst = await first;
  const giveSecond = await turn.take();
  await vi.advanceTimersByTimeAsync(51);
  const late = turn.take();
  expect(await isThere(late)).toBe(false);
  const giveJoined = await turn.join();
  for (const give of [giveFirst, giveSecond, giveJoined]) give();
  expect([asked, given]).toEqual([2, 1]);
  turn.begin();
  (await late)();
  expect(given).toBe(2);
});

it('goes on without an answer, and gives back the turn that comes too late', async () => {
  const turn = open();
  const waiting = turn.take();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(await isThere(waiting)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const give = await waiting;
  give();
  expect([asked, given]).toEqual([1, 0]);
  const next = turn.take();
  expect(asked).toBe(2);
  turn.begin();
  expect([given, await isThere(next)]).toEqual([1, false]);
  turn.begin();
  (await next)();
  expect(given).toBe(2);
});

it('gives back a turn that nobody asked for', () => {
  const turn = open();
  turn.begin();
  expect(given).toBe(1);
});
