import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { readInstance, type Presence } from './instance-file.ts';
import { takeInstance, withoutServer, type InstanceLock } from './instance.ts';
import { mapsFolder } from './maps-folder.ts';

const presence: Presence = { address: { hostname: '127.0.0.1', port: 5250 }, origin: 'http://127.0.0.1:5250' };

let folder: string;
let taken: InstanceLock | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-instance-'));
});

afterEach(() => {
  taken?.release();
  taken = undefined;
  rmSync(folder, { recursive: true });
});

/** As another process would: past the memory of this one. */
function lockElsewhere(): DatabaseSync {
  const lock = new DatabaseSync(path.join(folder, 'instance.lock'), { timeout: 0 });
  lock.exec('begin exclusive');
  return lock;
}

describe('takeInstance', () => {
  it('says who has the folder, for its owner alone', () => {
    taken = takeInstance(folder, presence);
    expect(readInstance(folder)).toMatchObject({ ...presence, state: 'running', pid: process.pid });
    expect(readdirSync(folder).toSorted()).toEqual(['instance.json', 'instance.lock']);
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('keeps others out until it is released', () => {
    taken = takeInstance(folder, presence);
    expect(lockElsewhere).toThrow('database is locked');
    taken.release();
    taken = undefined;
    lockElsewhere().close();
  });

  it('names the one that has it', () => {
    takeInstance(folder, presence).release();
    writeFileSync(
      path.join(folder, 'instance.json'),
      JSON.stringify({ ...presence, state: 'running', pid: 4711, startedAt: Date.UTC(2026, 0, 2) }),
    );
    const other = lockElsewhere();
    expect(() => takeInstance(folder, presence)).toThrow(
      /^The data folder .* is in use by the server with process id 4711 at http:\/\/127\.0\.0\.1:5250, running since 2026-01-02T00:00:00\.000Z\. Stop it first, or set FLIGHT_DATA to another folder\.$/,
    );
    other.close();
    taken = takeInstance(folder, presence);
  });

  it('is the same lock when this process takes it again', () => {
    taken = takeInstance(folder, presence);
    expect(takeInstance(folder, presence)).toBe(taken);
  });

  it('learns its port later', () => {
    taken = takeInstance(folder, { ...presence, address: { hostname: '127.0.0.1', port: 0 } });
    taken.announce(presence);
    expect(readInstance(folder)?.address.port).toBe(5250);
  });

  it('knows whether the last stop was a clean one', () => {
    const first = takeInstance(folder, presence);
    expect(first.wasStoppedCleanly).toBe(false);
    first.release();
    const second = takeInstance(folder, presence);
    expect(second.wasStoppedCleanly).toBe(true);
    second.release();
    writeFileSync(path.join(folder, 'instance.json'), '{"state":"stopp');
    taken = takeInstance(folder, presence);
    expect(taken.wasStoppedCleanly).toBe(false);
  });
});

describe('withoutServer', () => {
  it('runs while nobody is the server, and then lets one in', async () => {
    await withoutServer(folder, async () => expect(lockElsewhere).toThrow('locked'));
    lockElsewhere().close();
  });

  it('refuses while another process is the server', async () => {
    takeInstance(folder, presence).release();
    const other = lockElsewhere();
    await expect(withoutServer(folder, async () => undefined)).rejects.toThrow('is in use by');
    other.close();
  });

  it('runs in the server itself', async () => {
    taken = takeInstance(folder, presence);
    await expect(withoutServer(folder, async () => 'ran')).resolves.toBe('ran');
  });
});

describe('without a folder', () => {
  /** A file is where the folder would be: nobody can make it, not even root. */
  function useNoFolder(): string {
    writeFileSync(path.join(folder, 'file'), '');
    const missing = path.join(folder, 'file', 'data');
    vi.stubEnv('FLIGHT_DATA', missing);
    return missing;
  }

  afterEach(() => void vi.unstubAllEnvs());

  it('is refused where the database is in it', () => {
    const missing = useNoFolder();
    vi.stubEnv('DATABASE_URL', '');
    expect(() => takeInstance(missing, presence)).toThrow(/^The data folder .* cannot be written/);
  });

  it('serves with PostgreSQL, says once what that costs, and caches maps elsewhere', () => {
    const missing = useNoFolder();
    vi.stubEnv('DATABASE_URL', 'postgres://flight@127.0.0.1:1/flight');
    const lines: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    try {
      taken = takeInstance(missing, presence);
      taken.announce(presence);
    } finally {
      spy.mockRestore();
      out.mockRestore();
    }
    expect(taken.hasFolder).toBe(false);
    expect(takeInstance(missing, presence)).toBe(taken);
    expect(lines.filter((line) => line.includes('no-data-folder'))).toHaveLength(1);
    expect(existsSync(missing)).toBe(false);
    expect(statSync(mapsFolder()).mode & 0o777).toBe(0o700);
    expect(mapsFolder().startsWith(tmpdir())).toBe(true);
  });

  it('has the folder with PostgreSQL, too, where it can be written', () => {
    vi.stubEnv('FLIGHT_DATA', folder);
    vi.stubEnv('DATABASE_URL', 'postgres://flight@127.0.0.1:1/flight');
    taken = takeInstance(folder, presence);
    expect(taken.hasFolder).toBe(true);
    expect(readInstance(folder)).toMatchObject({ state: 'running' });
    expect(mapsFolder()).toBe(path.join(folder, 'source-maps'));
  });
});
