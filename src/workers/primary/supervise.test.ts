import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { ToPrimary, ToWorker } from '../messages.ts';
import { supervise, type Supervisor } from './supervise.ts';
import type { Ended } from './worker-process.ts';

/** A worker that does what a test says. */
type Fake = {
  readonly told: ToWorker[];
  readonly say: (message: ToPrimary) => void;
  readonly end: (ended: Ended) => void;
  isKilled: boolean;
  hasPort: boolean;
};

let fakes: Fake[];
let logged: string[];
let ends: { readonly status: number; readonly isClean: boolean }[];
let passed: string[];

const crash: Ended = { code: null, signal: 'SIGKILL' };
const done: Ended = { code: 0, signal: null };

function start(count = 2): Supervisor {
  return supervise({
    count,
    fork(onMessage, onEnd) {
      const id = fakes.length + 1;
      const fake: Fake = { told: [], say: onMessage, end: onEnd, isKilled: false, hasPort: true };
      fakes.push(fake);
      return {
        id,
        pid: 1_000 + id,
        tell: (message) => void fake.told.push(message),
        takePort: () => void (fake.hasPort = false),
        kill: () => void (fake.isKilled = true),
      };
    },
    hello: { door: 'secret', wasStoppedCleanly: true },
    onMessage: ({ type }) => void passed.push(type),
    log: (_level, event) => void logged.push(event),
    onEnd: (end) => void ends.push(end),
  });
}

function at(index: number): Fake {
  const fake = fakes[index];
  if (!fake) throw new Error(`there is no process ${index}`);
  return fake;
}

/** All are ready. */
function startReady(count = 2): Supervisor {
  const supervisor = start(count);
  at(0).say({ type: 'ready' });
  for (let index = 1; index < count; index += 1) at(index).say({ type: 'ready' });
  logged = [];
  return supervisor;
}

function latest(index: number): ToWorker | undefined {
  return at(index).told.at(-1);
}

beforeEach(() => {
  [fakes, logged, ends, passed] = [[], [], [], []];
  vi.useFakeTimers();
});

afterEach(() => void vi.useRealTimers());

describe('the start', () => {
  it('lets the first get ready alone, and tells each who it is', () => {
    start(3);
    expect(fakes).toHaveLength(1);
    at(0).say({ type: 'presence', address: { hostname: 'h', port: 1 }, origin: 'o' });
    at(0).say({ type: 'listening', origin: 'o' });
    at(0).say({ type: 'ready' });
    const hellos = fakes.flatMap(({ told }) => told);
    const rest = { type: 'hello', count: 3, door: 'secret', wasStoppedCleanly: true };
    expect(hellos).toEqual([
      { ...rest, number: 1, cause: 'first' },
      { ...rest, number: 2, cause: 'another' },
      { ...rest, number: 3, cause: 'another' },
    ]);
    expect(passed).toEqual(['presence', 'listening']);
  });

  it('ends with the status of a first worker that did not get ready', () => {
    start();
    at(0).end({ code: 3, signal: null });
    expect(ends).toEqual([{ status: 3, isClean: false }]);
    expect(fakes).toHaveLength(1);
  });
});

describe('a worker that ends', () => {
  it('is replaced under its number, and the others are not told', () => {
    startReady();
    at(0).end(crash);
    vi.advanceTimersByTime(0);
    expect(fakes).toHaveLength(3);
    expect(latest(2)).toMatchObject({ type: 'hello', number: 1, cause: 'replacement' });
    at(2).say({ type: 'ready' });
    expect(logged).toEqual(['worker-ended', 'worker-ready']);
    expect(latest(1)).toMatchObject({ type: 'hello' });
  });

  it('ends the server when that goes on and on', () => {
    startReady();
    for (let death = 0; death < 7; death += 1) {
      fakes.at(-1)?.end(crash);
      vi.advanceTimersByTime(5_000);
      if (death < 6) fakes.at(-1)?.say({ type: 'ready' });
    }
    expect(logged.filter((event) => event === 'workers-failing')).toHaveLength(1);
    expect(latest(0)).toEqual({ type: 'stop', reason: 'workers-failing' });
    at(0).end(done);
    expect(ends).toEqual([{ status: 1, isClean: false }]);
  });

  it('gives its turn and its work to another', () => {
    startReady();
    for (const one of [0, 1]) {
      at(one).say({ type: 'turn-wanted' });
      at(one).say({ type: 'lease-wanted', name: 'retention' });
    }
    expect(at(0).told.slice(1)).toEqual([{ type: 'turn' }, { type: 'lease', name: 'retention' }]);
    expect(at(1).told).toHaveLength(1);
    at(0).end(crash);
    expect(at(1).told.slice(1)).toEqual([{ type: 'turn' }, { type: 'lease', name: 'retention' }]);
  });
});

it('what one publishes goes to all others', () => {
  startReady(3);
  const news = { type: 'news', topic: 'apps', text: 'shop' } as const;
  at(1).say(news);
  expect([0, 1, 2].map((index) => latest(index)?.type)).toEqual(['news', 'hello', 'news']);
  expect(latest(0)).toEqual(news);
});

describe('stop', () => {
  it('tells all, takes the port from all, and says so when nobody takes connections', () => {
    const { stop } = startReady();
    stop('SIGTERM');
    expect(fakes.map(({ hasPort }) => hasPort)).toEqual([false, false]);
    expect(latest(0)).toEqual({ type: 'stop', reason: 'SIGTERM' });
    at(0).say({ type: 'refusing' });
    expect(logged).toEqual([]);
    at(1).say({ type: 'refusing' });
    expect(logged).toEqual(['stopping']);
    expect([latest(0), latest(1)]).toEqual([{ type: 'all-refuse' }, { type: 'all-refuse' }]);
    at(0).end(done);
    expect(ends).toEqual([]);
    at(1).end(done);
    expect(ends).toEqual([{ status: 0, isClean: true }]);
    expect(logged).toEqual(['stopping']);
  });

  it('ends one that is only starting, and one that does not end', () => {
    const { stop } = startReady();
    at(1).end(crash);
    vi.advanceTimersByTime(0);
    stop('SIGTERM');
    expect(at(2).isKilled).toBe(true);
    expect(at(0).isKilled).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(at(0).isKilled).toBe(true);
  });

  it('starts nobody anew', () => {
    const { stop, renew } = startReady();
    at(1).end(crash);
    stop('SIGTERM');
    renew();
    vi.advanceTimersByTime(60_000);
    expect(fakes).toHaveLength(2);
  });

  it('can be cut short', () => {
    const { stop, end } = startReady();
    stop('SIGTERM');
    end();
    expect(fakes.map(({ isKilled }) => isKilled)).toEqual([true, true]);
  });
});

describe('renew', () => {
  it('replaces one after the other, each when the next one is ready', () => {
    const { renew } = startReady();
    renew();
    renew();
    expect(fakes).toHaveLength(3);
    expect(latest(0)?.type).toBe('hello');
    at(2).say({ type: 'ready' });
    expect(latest(0)).toEqual({ type: 'stop', reason: 'renewed' });
    expect(at(0).hasPort).toBe(true);
    expect(fakes).toHaveLength(3);
    at(0).say({ type: 'refusing' });
    at(0).end(done);
    expect(fakes).toHaveLength(4);
    expect(latest(3)).toMatchObject({ number: 2, cause: 'replacement' });
    at(3).say({ type: 'ready' });
    at(1).end(done);
    expect(logged).toEqual(['workers-renewing', 'worker-ready', 'worker-ready', 'workers-renewed']);
    renew();
    expect(fakes).toHaveLength(5);
  });

  it('leaves all as it is when a new one does not get ready', () => {
    const { renew } = startReady();
    renew();
    at(2).end({ code: 1, signal: null });
    vi.advanceTimersByTime(60_000);
    expect(fakes).toHaveLength(3);
    expect([latest(0)?.type, latest(1)?.type]).toEqual(['hello', 'hello']);
    expect(logged).toEqual(['workers-renewing', 'worker-ended', 'workers-not-renewed']);
  });

  it('goes on when a predecessor ends by itself', () => {
    const { renew } = startReady();
    renew();
    at(0).end(crash);
    vi.advanceTimersByTime(60_000);
    expect(fakes).toHaveLength(3);
    at(2).say({ type: 'ready' });
    expect(latest(3)).toMatchObject({ number: 2, cause: 'replacement' });
  });

  it('ends a predecessor that does not end', () => {
    const { renew } = startReady();
    renew();
    at(2).say({ type: 'ready' });
    vi.advanceTimersByTime(14_999);
    expect(at(0).isKilled).toBe(false);
    vi.advanceTimersByTime(1);
    expect(at(0).isKilled).toBe(true);
    at(0).end(crash);
    expect(fakes).toHaveLength(4);
    expect(logged).not.toContain('worker-ended');
  });
});
