import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { takeInstance } from '#src/store/instance.ts';
import { findServer } from '#src/access/commands/healthcheck.ts';
import { sessionsOf } from '#src/access/sessions.ts';
import { openStore } from '#src/store/open-store.ts';

import { runCommandLine } from './command-line.ts';

let folder: string;
let data: string;
let output: string;
let errors: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-operator-'));
  data = path.join(folder, 'data');
  vi.stubEnv('FLIGHT_DATA', data);
  output = '';
  errors = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((output += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((errors += String(text))));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function runOperator(argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, 'flight-recorder');
}

it.each([['backup'], ['backup', 'a', 'b'], ['backup', '-x'], ['healthcheck', 'x'], ['password'], ['sessions', 'end']])(
  'called wrongly (%s %s) exits 2, with its usage in one line on standard error',
  async (...args) => {
    expect(await runOperator(args)).toBe(2);
    expect(errors).toMatch(
      /^flight-recorder: that is not how it is called: flight-recorder \S+.*\. Try ".* --help"\.\n$/,
    );
    expect([output, existsSync(data)]).toEqual(['', false]);
  },
);

describe('token', () => {
  it('makes no data where no server has run', async () => {
    expect(await runOperator(['token', 'create', 'for a script'])).toBe(1);
    expect(errors).toBe(
      `flight-recorder: there is no database in ${data}: no server has run on it. Name its folder with FLIGHT_DATA\n`,
    );
    expect([output, existsSync(data)]).toEqual(['', false]);
  });

  it('is made for a server that runs and has stored nothing yet', async () => {
    const instance = takeInstance(data, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' });
    expect(await runOperator(['token', 'create', 'for a script'])).toBe(0);
    instance.release();
    expect(output).toMatch(/^flr_[\w-]+\n$/);
  });

  it('is made where one has', async () => {
    await (await openStore(data)).close();
    expect(await runOperator(['token', 'create', 'for a script'])).toBe(0);
    expect(output).toMatch(/^flr_[\w-]+\n$/);
  });
});

describe('login-link', () => {
  const link = /^http:\/\/127\.0\.0\.1:3000\/login#[\w-]{43}\n$/;

  it('makes nothing where a server for this machine alone has never run', async () => {
    expect(await runOperator(['login-link'])).toBe(1);
    expect(errors).toContain(`there is no database in ${data}`);
    expect(errors).toContain('login-link --data <its folder>');
    expect([output, existsSync(data)]).toEqual(['', false]);
  });

  it('says which folder it looked at when no server runs on it, and prints a link for the next start', async () => {
    await (await openStore(data)).close();
    expect(await runOperator(['login-link'])).toBe(0);
    expect(output).toMatch(link);
    expect(errors).toContain(`the link below opens the server that is started on the data folder ${data}.`);
    expect(errors).toContain('No server runs on it now.');
    expect(errors).toContain('login-link --data <its folder>');
  });

  it('says nothing more than the link when a server runs on it, whatever folder the variable names', async () => {
    await (await openStore(data)).close();
    const lock = takeInstance(data, {
      address: { hostname: '127.0.0.1', port: 4000 },
      origin: 'https://flight.example',
    });
    vi.stubEnv('FLIGHT_DATA', path.join(folder, 'another'));
    expect(await runOperator(['login-link', '--data', data])).toBe(0);
    expect(output).toMatch(/^https:\/\/flight\.example\/login#/);
    expect(errors).toBe('');
    lock.release();
    // Neither the address nor the silence of a server that has stopped.
    output = '';
    expect(await runOperator(['login-link', '--data', data])).toBe(0);
    expect(output).toMatch(link);
    expect(errors).toContain('No server runs on it now.');
    expect(existsSync(path.join(folder, 'another'))).toBe(false);
  });

  it('makes nothing in a folder that is named and holds no database', async () => {
    const wrong = path.join(folder, 'typo');
    expect(await runOperator(['login-link', '--data', wrong])).toBe(1);
    expect(errors).toMatch(/^flight-recorder: .*typo is not the data folder of a Flight Recorder: .*\n$/);
    expect([output, existsSync(wrong)]).toEqual(['', false]);
    for (const args of [['--data'], ['--data', ''], ['data', 'x'], ['--data', data, 'x']]) {
      expect(await runOperator(['login-link', ...args])).toBe(2);
    }
  });
});

it('works with a setting that only the server reads and cannot read', async () => {
  vi.stubEnv('RECORD', 'everything');
  expect(await runOperator(['sessions', 'list'])).toBe(0);
  expect(errors).toBe('');
});

it('prints what a browser calls itself as text that steers no terminal', async () => {
  const store = await openStore(data);
  const from = { openedBy: 'login-link', userAgent: 'Fire\u009b2J\u202e\u2028\u{e0041}fox é', address: '::1' } as const;
  await sessionsOf(store).open(from, [], async () => undefined);
  await store.close();
  expect(await runOperator(['sessions', 'list'])).toBe(0);
  expect(output).toMatch(/ {2}::1 {2}Fire\\u009b2J\\u202e\\u2028\\udb40\\udc41fox é\n$/);
});

describe('backup', () => {
  it('copies what is committed, while the store is open, into one file for its owner alone', async () => {
    const store = await openStore(data);
    await store.db.insertInto('outcome').values({ source: 'client', type: 't', reason: 'r', last_time: 1 }).execute();
    const file = path.join(folder, 'copy.db');
    expect(await runOperator(['backup', file])).toBe(0);
    expect(output).toMatch(/copy\.db: \d+\.\d MiB, checked\n$/);
    await store.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'data']);
    const copy = new DatabaseSync(file, { readOnly: true });
    expect(copy.prepare('select type from outcome').all()).toEqual([{ type: 't' }]);
    copy.close();
  });

  it('overwrites nothing', async () => {
    await (await openStore(data)).close();
    const file = path.join(folder, 'mine');
    writeFileSync(file, 'mine');
    expect(await runOperator(['backup', file])).toBe(1);
    expect(errors).toMatch(/^flight-recorder: .*mine exists; a copy never overwrites a file\n$/);
    expect(statSync(file).size).toBe(4);
  });

  it('makes no database where there is none', async () => {
    expect(await runOperator(['backup', path.join(folder, 'copy.db')])).toBe(1);
    expect(errors).toContain(`There is no database at ${path.join(data, 'flight.db')}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps no copy of a damaged database', async () => {
    const store = await openStore(data);
    for (let index = 0; index < 50; index += 1) {
      const row = { source: 'client', type: `${index}`.padEnd(8_000, 'x'), reason: 'r', last_time: 1 } as const;
      await store.db.insertInto('outcome').values(row).execute();
    }
    await store.close();
    const database = path.join(data, 'flight.db');
    const { size } = statSync(database);
    const bytes = new Uint8Array(size - 8192 * 4).fill(0xa5);
    writeFileSync(database, bytes, { flag: 'r+' });
    expect(await runOperator(['backup', path.join(folder, 'copy.db')])).toBe(1);
    expect(errors).toMatch(/^flight-recorder: .*could not be copied.*not a database\n$/);
    expect(readdirSync(folder)).toEqual(['data']);
  });
});

describe('healthcheck', () => {
  let server: Server;
  let status: number;
  let asked: (string | undefined)[];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url, request.headers.host);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => server.close());

  function readPort(): number {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  it.each([
    ['0.0.0.0', 200, 0, 'ready'],
    ['127.0.0.1', 503, 1, 'not ready'],
  ])('of a server on %s that answers %i exits %i', async (hostname, answered, code, text) => {
    status = answered;
    const port = readPort();
    const instance = takeInstance(data, { address: { hostname, port }, origin: 'https://flight.example' });
    expect(await runOperator(['healthcheck'])).toBe(code);
    instance.release();
    expect(output).toBe(`${text}: ${hostname}:${port} answered ${answered}\n`);
    expect(asked).toEqual(['/readyz', `127.0.0.1:${port}`]);
  });

  it('asks a server that is mounted in another app below its path', async () => {
    status = 200;
    const address = { hostname: '127.0.0.1', port: readPort() };
    const instance = takeInstance(data, { address, origin: 'https://shop.example/shop/_flight' });
    expect(await runOperator(['healthcheck'])).toBe(0);
    expect(asked[0]).toBe('/shop/_flight/readyz');
    const base = `http://127.0.0.1:${readPort()}/shop/_flight`;
    expect(await findServer(data)).toEqual({ origin: 'https://shop.example/shop/_flight', base });
    expect(asked).toContain('/shop/_flight/healthz');
    instance.release();
  });

  it('asks where the settings say that the server is, where PostgreSQL has the data and no folder says it', async () => {
    status = 200;
    vi.stubEnv('HOST', '127.0.0.1');
    vi.stubEnv('PORT', String(readPort()));
    expect(await runOperator(['healthcheck'])).toBe(1);
    vi.stubEnv('DATABASE_URL', 'postgres://flight@127.0.0.1:1/flight');
    expect(await runOperator(['healthcheck'])).toBe(0);
    expect(asked).toEqual(['/readyz', `127.0.0.1:${readPort()}`]);
  });

  it('finds the server on a folder, and none that is gone', async () => {
    status = 200;
    const presence = { address: { hostname: '0.0.0.0', port: readPort() }, origin: 'https://flight.example' };
    expect(await findServer(data)).toBe(undefined);
    const instance = takeInstance(data, presence);
    const base = `http://127.0.0.1:${readPort()}`;
    expect(await findServer(data)).toEqual({ origin: 'https://flight.example', base });
    status = 404;
    expect(await findServer(data)).toBe(undefined);
    status = 200;
    const file = path.join(data, 'instance.json');
    const running = readFileSync(file, 'utf8');
    // The highest number that a process can have is 2 ** 22.
    writeFileSync(file, running.replace(/"pid":\d+/, '"pid":4194305'));
    expect(await findServer(data)).toBe(undefined);
    writeFileSync(file, running);
    instance.release();
    expect(await findServer(data)).toBe(undefined);
  });

  it('of a server that is gone exits 1 with one line', async () => {
    const instance = takeInstance(data, { address: { hostname: '127.0.0.1', port: 1 }, origin: 'http://127.0.0.1:1' });
    expect(await runOperator(['healthcheck'])).toBe(1);
    instance.release();
    expect(errors).toMatch(/^flight-recorder: no answer at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\n$/);
    errors = '';
    expect(await runOperator(['healthcheck'])).toBe(1);
    expect(errors).toBe(`flight-recorder: no server runs on ${data}\n`);
  });
});
