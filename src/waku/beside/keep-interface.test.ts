import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Instance } from '#src/store/instance-file.ts';

import { type Keeper, type KeepOptions, keepInterface } from './keep-interface.ts';
import type { OwnInterface } from './own-interface.ts';
import { takeTurn } from './take-turn.ts';

const known = { type: 'known', secretKey: 'secret', publicKey: 'public', number: 2, record: 'all', allUntil: 0 };

let folder: string;
let lines: string[];
let asked: string[];
let answer: unknown;
/** How often it still answers that it cannot store anything yet. */
let notReady: number;
let servers: Server[];
let keepers: Keeper[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-keep-'));
  notReady = 0;
  [lines, asked, servers, keepers, answer] = [[], [], [], [], known];
});

afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  for (const server of servers) server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** What an interface leaves in the data folder, and what it answers. */
async function serveInterface(more: Partial<Instance> = {}): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.headers.authorization} ${incoming.url}`);
    if (notReady > 0) {
      notReady -= 1;
      outgoing.writeHead(503).end('{"error":{"code":"not-stored"}}');
    } else outgoing.end(JSON.stringify(answer));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const { port } = address;
  const origin = `http://localhost:${port}/_flight`;
  const instance = { state: 'running', pid: process.pid, startedAt: 1, door: 'door', origin, isBeside: true };
  const text = JSON.stringify({ ...instance, address: { hostname: '127.0.0.1', port }, ...more });
  writeFileSync(path.join(folder, 'instance.json'), text);
  return server;
}

function end(server: Server): void {
  rmSync(path.join(folder, 'instance.json'), { force: true });
  server.close().closeAllConnections();
}

type Started = { readonly own: OwnInterface; readonly crash: (how: string) => void };
const noCrash = () => undefined;

async function startFake(): Promise<Started> {
  const server = await serveInterface();
  const ended = Promise.withResolvers<string>();
  const crash = (how: string) => {
    end(server);
    ended.resolve(how);
  };
  const own = { ended: ended.promise, loginUrl: undefined, stop: async () => crash('stopped') };
  return { own, crash };
}

function keep(start: KeepOptions['start'], more: Partial<KeepOptions> = {}): Keeper {
  const say = (line: string) => void lines.push(line);
  const options = { folder, app: 'shop', start, say, onStarted: noCrash, onAnnounced: noCrash, ...more };
  const keeper = keepInterface(options);
  keepers.push(keeper);
  return keeper;
}

async function untilUp(keeper: Keeper): Promise<void> {
  await vi.waitFor(() => expect(keeper.read().type).toBe('up'), 5_000);
}

it('is started where there is none, and asked with the secret of its folder', async () => {
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  expect(keeper.read()).toEqual({ type: 'away' });
  await untilUp(keeper);
  expect(keeper.read()).toMatchObject({ announcement: known, found: { mount: '/_flight', door: 'door' } });
  expect(asked[0]).toBe('Bearer door /_flight/_api/app?app=shop&new=1');
  keeper.lookAgain();
  await vi.waitFor(() => expect(asked.at(-1)).toBe('Bearer door /_flight/_api/app?app=shop'));
  await keeper.stop();
  expect([keeper.read().type, start.mock.calls.length, lines]).toEqual(['off', 1, []]);
});

it('is told each time which build the app runs', async () => {
  const build = { release: 'a b', maps: '/srv/shop/dist/maps' };
  const keeper = keep(async () => (await startFake()).own, { build });
  await untilUp(keeper);
  const told = 'release=a+b&maps=%2Fsrv%2Fshop%2Fdist%2Fmaps';
  expect(asked[0]).toBe(`Bearer door /_flight/_api/app?app=shop&new=1&${told}`);
  keeper.lookAgain();
  await vi.waitFor(() => expect(asked.at(-1)).toBe(`Bearer door /_flight/_api/app?app=shop&${told}`));
});

it('is started again after a crash, with one line for each, until the pauses are used up', async () => {
  const started: Started[] = [];
  const start = async () => {
    started.push(await startFake());
    return started.at(-1)?.own ?? Promise.reject(new Error('none'));
  };
  const keeper = keep(start, { pausesMs: [1, 2] });
  for (const count of [1, 2, 3]) {
    await vi.waitFor(() => expect([started.length, keeper.read().type]).toEqual([count, 'up']), 5_000);
    started.at(-1)?.crash('was ended by SIGKILL');
  }
  await vi.waitFor(() => expect(keeper.read().type).toBe('off'), 5_000);
  expect(lines).toEqual([
    'the interface was ended by SIGKILL; it is started again in 0.001 s, and the app goes on',
    'the interface was ended by SIGKILL; it is started again in 0.002 s, and the app goes on',
    'the interface has ended too often and is not started again; the app goes on',
  ]);
});

it('begins to count its failures anew when it ran for a while', async () => {
  const started: Started[] = [];
  const start = async () => {
    started.push(await startFake());
    return started.at(-1)?.own ?? Promise.reject(new Error('none'));
  };
  const keeper = keep(start, { pausesMs: [1] });
  const now = performance.now.bind(performance);
  for (const count of [1, 2, 3]) {
    await vi.waitFor(() => expect([started.length, keeper.read().type]).toEqual([count, 'up']), 5_000);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + count * 100_000);
    started.at(-1)?.crash('ended with status 1');
    await vi.waitFor(() => expect(lines).toHaveLength(count), 5_000);
    clock.mockRestore();
  }
  expect(keeper.read().type).not.toBe('off');
});

it('is left alone when it is ours and only gives no answer', async () => {
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  await untilUp(keeper);
  answer = 'busy';
  const enough = asked.length + 4;
  const look = () => {
    keeper.lookAgain();
    expect(asked.length).toBeGreaterThanOrEqual(enough);
  };
  await vi.waitFor(look, { timeout: 10_000, interval: 20 });
  answer = known;
  expect([keeper.read().type, start.mock.calls.length]).toEqual(['up', 1]);
}, 15_000);

it('says why it cannot start, and does not throw', async () => {
  const keeper = keep(async () => Promise.reject(new Error('the disk is full')), { pausesMs: [1] });
  await vi.waitFor(() => expect(keeper.read().type).toBe('off'), 5_000);
  expect(lines[0]).toBe(
    'the interface could not start: the disk is full; it is started again in 0.001 s, and the app goes on',
  );
});

it('is asked again, without a word, while it has just started and cannot store anything yet', async () => {
  notReady = 3;
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  await untilUp(keeper);
  // Each time as a new app: none of the earlier ones has been added.
  expect(asked.slice(0, 4).every((line) => line.endsWith('&new=1'))).toBe(true);
  expect([start.mock.calls.length, lines]).toEqual([1, []]);
});

it('says in words that it stays unable to store anything', async () => {
  notReady = Infinity;
  const keeper = keep(async () => (await startFake()).own, { pausesMs: [1], readyLimitMs: 0 });
  await vi.waitFor(() => expect(keeper.read().type).toBe('off'), 5_000);
  expect(lines[0]).toBe(
    'the interface could not start: it cannot store the app in its data folder; it is started again in 0.001 s, and the app goes on',
  );
});

it('is shared with the process that has started it, and started by the other when that has ended', async () => {
  const first = await serveInterface();
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  await untilUp(keeper);
  expect(start).not.toHaveBeenCalled();
  end(first);
  keeper.lookAgain();
  await vi.waitFor(() => expect(start).toHaveBeenCalledOnce(), 10_000);
  await untilUp(keeper);
  expect(lines).toEqual([]);
});

it('is waited for where it was started by itself: who has ended it may want to restore a backup', async () => {
  const first = await serveInterface({ isBeside: false });
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  await untilUp(keeper);
  end(first);
  keeper.lookAgain();
  await vi.waitFor(() => expect(keeper.read().type).toBe('away'), 10_000);
  await serveInterface({ isBeside: false });
  await untilUp(keeper);
  expect([start.mock.calls.length, lines]).toEqual([0, []]);
});

it('is only gone on with, where that is all that the process wants', async () => {
  const start = vi.fn(async () => (await startFake()).own);
  const onStarted = vi.fn();
  const keeper = keep(start, { startsFirst: false, onStarted });
  const first = await serveInterface({ origin: 'http://localhost:4000' });
  await untilUp(keeper);
  expect(start).not.toHaveBeenCalled();
  end(first);
  keeper.lookAgain();
  await vi.waitFor(() => expect(start).toHaveBeenCalledOnce(), 10_000);
  expect(start).toHaveBeenCalledWith(expect.objectContaining({ origin: 'http://localhost:4000', mount: '' }));
  await vi.waitFor(() => expect(onStarted).toHaveBeenCalledOnce());
});

it('is not waited for where the folder’s word is of before a crash', async () => {
  // The process id is another process's by now, and nothing listens at the port.
  end(await serveInterface());
  const address = { hostname: '127.0.0.1', port: 1 };
  const instance = {
    state: 'running',
    pid: process.pid,
    startedAt: 1,
    door: 'old',
    origin: 'http://localhost:1',
    address,
  };
  writeFileSync(path.join(folder, 'instance.json'), JSON.stringify(instance));
  const keeper = keep(async () => (await startFake()).own, { isFree: true });
  await vi.waitFor(() => expect(keeper.read().type).toBe('up'), 1_000);
});

it('is waited for while another process starts it', async () => {
  const endTurn = takeTurn(folder);
  const start = vi.fn(async () => (await startFake()).own);
  const keeper = keep(start);
  await serveInterface();
  await untilUp(keeper);
  endTurn?.();
  expect(start).not.toHaveBeenCalled();
});

it('tells what is recorded now, and that the app was deleted', async () => {
  await serveInterface();
  const keeper = keep(async () => Promise.reject(new Error('not needed')));
  await untilUp(keeper);
  for (const next of [{ ...known, record: 'off' }, { type: 'deleted' }]) {
    answer = next;
    keeper.lookAgain();
    await vi.waitFor(() => expect(keeper.read()).toMatchObject({ announcement: next }));
  }
});

it('is no interface that answers something else', async () => {
  answer = { type: 'another version' };
  await serveInterface();
  const keeper = keep(async () => (await startFake()).own);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1), 5_000);
  expect(keeper.read().type).toBe('away');
});
