import {
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { nobody, skipUnlessAsNobody } from './testing/as-nobody.ts';
import { startServer, type StartOptions, StartFailure } from './testing/start-server.ts';

let dataFolder: string;
let database: string;

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-damage-'));
  database = path.join(dataFolder, 'flight.db');
});

afterEach(() => rmSync(dataFolder, { recursive: true }));

async function failToStart(options: StartOptions = {}): Promise<string> {
  try {
    await using server = await startServer({ dataFolder, ...options });
    throw new Error(`It listens on ${server.port}`);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    expect(error.exit).toEqual({ code: 1, signal: null });
    return error.output;
  }
}

/** Makes errors whose stacks fill several pages of the database, and stops the server cleanly. */
async function leaveErrors(): Promise<void> {
  await using server = await startServer({ dataFolder });
  for (let count = 0; count < 30; count += 1) await fetch(`${server.origin}/lab/throw-before-shell`);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(readdirSync(dataFolder)).not.toContain('flight.db-wal');
}

/** Overwrites all pages after the first three quarters: the newest rows. */
function overwriteEnd(): void {
  const handle = openSync(database, 'r+');
  const { size } = statSync(database);
  const from = Math.floor((size * 0.75) / 8_192) * 8_192;
  writeSync(handle, Buffer.alloc(size - from, 0xa5), 0, size - from, from);
  closeSync(handle);
}

function putDirectory(file: string): void {
  rmSync(file, { force: true });
  mkdirSync(file);
}

const readyz = /^\{"error":\{"code":"not-ready","message":"[^"]+"\},"reasons":\["database"\]\}\n$/;

test('a page that was overwritten while the server was stopped: one line, status 1, no byte changed', async () => {
  await leaveErrors();
  overwriteEnd();
  const before = readFileSync(database);
  expect(await failToStart()).toMatch(
    /^flight-recorder: The database \S+flight\.db is damaged: [^\n]* Restore a backup [^\n]*$/,
  );
  expect(readFileSync(database).equals(before)).toBe(true);
});

test('a page that is overwritten while it runs: one line with the way out, not ready, and errors are in the log', async () => {
  await leaveErrors();
  await using server = await startServer({ dataFolder });
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  overwriteEnd();
  // The front page reads counters alone, which may be whole.
  for (const page of ['/', '/faults', '/lab/throw-before-shell']) await fetch(server.origin + page);
  const line = await server.waitForLine(({ event }) => event === 'database-damaged');
  expect(line.fields['reason']).toMatch(/^The database \S+flight\.db is damaged: .* restore a backup .*\.$/);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.origin}/runtime-that-is-not-there`)).status).toBe(404);
  await fetch(`${server.origin}/lab/throw-before-shell`);
  const { fields } = await server.waitForLine(({ event }) => event === 'error-not-stored');
  expect(server.lines().some((one) => one.event === 'server-error' && one.fields['digest'] === fields['digest'])).toBe(
    true,
  );
  await expect.poll(async () => (await fetch(`${server.origin}/readyz`)).text(), { timeout: 5_000 }).toMatch(readyz);
  expect(server.lines().filter(({ event }) => event === 'database-damaged')).toHaveLength(1);
  await server.end('SIGTERM');
});

test('garbage or a directory in the place of a file is refused with one line that names it', async () => {
  await leaveErrors();
  const whole = `${dataFolder}-whole`;
  cpSync(dataFolder, whole, { recursive: true });
  async function expectRefusal(name: string, put: (file: string) => void, line: RegExp): Promise<void> {
    put(path.join(dataFolder, name));
    const output = await failToStart();
    expect(output).toMatch(/^flight-recorder: [^\n]*$/);
    expect(output).toContain(`${dataFolder}/${name} is `);
    expect(output).toMatch(line);
    rmSync(dataFolder, { recursive: true });
    cpSync(whole, dataFolder, { recursive: true });
  }
  try {
    for (const name of ['flight.db-wal', 'instance.lock']) {
      await expectRefusal(
        name,
        (file) => writeFileSync(file, Buffer.alloc(10_000, 0xa5)),
        /[Mm]ove (?:it|that file) away/,
      );
    }
    for (const name of ['flight.db', 'flight.db-wal', 'flight.db-shm', 'instance.lock', 'instance.json']) {
      await expectRefusal(name, putDirectory, / is a directory, .* Move it away/);
    }
  } finally {
    rmSync(whole, { recursive: true });
  }
});

test('a file of another user is refused with one line that says whose it is', async (context) => {
  skipUnlessAsNobody(context);
  await leaveErrors();
  for (const name of readdirSync(dataFolder)) chownSync(path.join(dataFolder, name), nobody, nobody);
  chownSync(dataFolder, nobody, nobody);
  chownSync(database, 0, 0);
  expect(await failToStart({ uid: nobody })).toMatch(
    /^flight-recorder: \S+\/flight\.db cannot be read and written [^\n]* user 0 with mode 0600, [^\n]* user 65534\. [^\n]*$/,
  );
});
