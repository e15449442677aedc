import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readInstance } from '../src/store/instance-file.ts';
import * as instances from '../src/store/instance.ts';
import { chooseData, choosePort } from './choose-place.mjs';

const host = '127.0.0.1';

describe('choosePort', () => {
  const command = 'npm run dev';
  let server;
  let port;

  beforeEach(async () => {
    server = createServer().listen(0, host);
    await once(server, 'listening');
    port = String(server.address().port);
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('takes the next one where nobody named one and the usual one is in use', async () => {
    const chosen = await choosePort({ host, given: undefined, usual: port, command });
    expect(Number(chosen)).toBeGreaterThan(Number(port));
  });

  it('refuses one that was named, in one line that says what to type', async () => {
    const next = Number(port) + 1;
    await expect(choosePort({ host, given: port, usual: '3000', command })).rejects.toThrow(
      `port ${port} is in use. Stop what listens there, or type: PORT=${next} npm run dev`,
    );
  });

  it('takes one that was named and is free', async () => {
    await new Promise((resolve) => server.close(resolve));
    expect(await choosePort({ host, given: port, usual: '3000', command })).toBe(port);
    server.listen(Number(port), host);
    await once(server, 'listening');
  });
});

describe('chooseData', () => {
  let base;
  let usual;
  const locks = [];

  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'choose-data-'));
    usual = path.join(base, 'data');
  });

  afterEach(() => {
    for (const lock of locks.splice(0)) lock.close();
    rmSync(base, { recursive: true });
  });

  /** As a server in another process has it. */
  function hold(folder) {
    mkdirSync(folder);
    const address = { hostname: host, port: 3000 };
    const instance = { state: 'running', pid: 4711, startedAt: 0, address, origin: 'http://127.0.0.1:3000' };
    writeFileSync(path.join(folder, 'instance.json'), JSON.stringify(instance));
    const lock = new DatabaseSync(path.join(folder, 'instance.lock'), { timeout: 0 });
    lock.exec('begin exclusive');
    locks.push(lock);
  }

  function choose(given) {
    return chooseData({ usual, given, instances, readHolder: readInstance });
  }

  it('is the usual one while no server has it, also when it is not there yet', async () => {
    expect(await choose()).toEqual({ folder: usual });
    hold(usual);
    locks.pop().close();
    expect(await choose()).toEqual({ folder: usual });
  });

  it('is one beside it while a server has it, and says so', async () => {
    hold(usual);
    expect(await choose()).toEqual({
      folder: `${usual}-dev`,
      line: `${usual} is in use by the server at http://127.0.0.1:3000 (process 4711), so the data is in ${usual}-dev`,
    });
  });

  it('refuses one that was named, or a second beside it, and names the process', async () => {
    hold(usual);
    await expect(choose(usual)).rejects.toThrow(/data is in use by the server with process id 4711 at .*Stop it first/);
    hold(`${usual}-dev`);
    await expect(choose()).rejects.toThrow(/data-dev is in use by the server with process id 4711/);
  });
});
