import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { writeFlightFile } from '#flight';

import { countColumns } from './columns.ts';
import { runFlightCommand } from './run-flight-command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const launcher = path.join(root, 'scripts/flight.mjs');
const main = path.join(import.meta.dirname, 'main.ts');
const fixtures = path.join(root, 'packages/flight/fixtures');
const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));
const folder = mkdtempSync(path.join(os.tmpdir(), 'flight-command-'));
const before = process.cwd();
beforeAll(() => {
  process.chdir(folder);
  vi.stubEnv('NO_COLOR', '1');
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

type Ended = { code: number | null; stdout: string; stderr: string };

/** The command in this process: a process for each of its calls takes most of the time of a slow machine. */
async function run(words: readonly string[], input: string | Uint8Array = ''): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  const writers = [
    vi.spyOn(process.stdout, 'write').mockImplementation((piece) => out.push(String(piece)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation((piece) => err.push(String(piece)) > 0),
  ];
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin');
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    const code = await runFlightCommand(words, 'flight', () =>
      Promise.reject(new Error('the viewer is not built here')),
    );
    return { code, stdout: out.join(''), stderr: err.join('') };
  } finally {
    for (const writer of writers) writer.mockRestore();
    if (stdin) Object.defineProperty(process, 'stdin', stdin);
    process.stdout.removeAllListeners('error');
  }
}

/** The command as `npm run flight` starts it. */
async function launch(words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [launcher, ...words], { cwd: folder, env: { ...process.env, NO_COLOR: '' } });
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('close', resolve)));
  return { code, stdout, stderr };
}

function isFields(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): { [key: string]: unknown } {
  const parsed: unknown = JSON.parse(text);
  if (!isFields(parsed)) throw new Error('not an object');
  return parsed;
}

function listOf(value: unknown): { [key: string]: unknown }[] {
  if (!Array.isArray(value)) throw new Error('not an array');
  return value.filter(isFields);
}

/** The keys of each table row of docs/flight-json.md, as the document has them. */
const json = readFileSync(path.join(root, 'docs/flight-json.md'), 'utf8');

function keysDocumented(key: string): string[] {
  const line = json.split('\n').find((row) => row.startsWith(`| \`${key}\` `)) ?? '';
  return (/`\{([^}]*)\}`/.exec(line)?.[1] ?? '').split(', ');
}

function expectShape(report: { [key: string]: unknown }): void {
  const table = json.slice(json.indexOf('| key'), json.indexOf('`state` besides'));
  const keys = Array.from(table.matchAll(/^\| `(\w+)`/gm), ([, key]) => key);
  expect(Object.keys(report)).toEqual(keys);
  for (const key of ['rows', 'errors', 'modules', 'duplicates', 'findings']) {
    for (const one of listOf(report[key])) expect(Object.keys(one)).toEqual(keysDocumented(key));
  }
  const rows = listOf(report['rows']);
  let offset = 0;
  for (const row of rows) {
    expect(row['offset']).toBe(offset);
    offset += Number(row['bytes']);
  }
  expect(offset).toBeLessThanOrEqual(Number(report['bytes']));
}

describe('every fixture', () => {
  test.each(files)('%s', { timeout: 30_000 }, async (file) => {
    const asText = await run([path.join(fixtures, file)]);
    const asJson = await run(['--json', path.join(fixtures, file)]);
    expect(asJson.code).toBe(asText.code);
    // Waku answers a failed action, and what it does not find, with plain text: no Flight.
    const isFlight = !/action-(?:throw|badbody|missing|get)|notfound-rsc/.test(file);
    // What was copied as text has lost bytes.
    const isDamaged = file.includes('as-text');
    expect(asText.code).toBe(isFlight ? Number(isDamaged) : 2);
    if (!isFlight) {
      expect(asText.stdout + asJson.stdout).toBe('');
      expect(asText.stderr).toContain('does not look like Flight');
      return;
    }
    expectShape(parse(asJson.stdout));
    for (const line of asText.stdout.split('\n')) expect(countColumns(line)).toBeLessThanOrEqual(80);
    expect(asText.stdout).toContain('Rows');
    expect(asText.stderr + asJson.stderr !== '').toBe(isDamaged);
  });
});

const page = (payload: string) =>
  `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)})</script>`;

function har(...bodies: readonly string[]): string {
  const entries = bodies.map((text, index) => ({
    request: { method: 'GET', url: `http://localhost/${index}` },
    response: { status: 200, content: { text } },
  }));
  return JSON.stringify({ log: { entries } });
}

describe('what it reads', () => {
  const payload = '0:["$","p",null,{"children":"Hello"}]\n';
  const facts = {
    requestId: 'r',
    traceId: 't',
    visit: null,
    kind: 'document',
    method: 'GET',
    path: '/lab',
    query: [],
    route: '/lab',
    build: 'b',
    status: 200,
    rendering: 'dynamic',
    outcome: 'complete',
    startedAt: '2026-01-01T00:00:00.000Z',
    firstByteMs: 1,
    durationMs: 2,
    bytes: payload.length,
    digests: [],
    action: null,
    hits: 1,
    lastAt: null,
  };
  const exported = writeFlightFile({
    facts,
    content: 'flight',
    chunks: [[1, payload.length]],
    body: new TextEncoder().encode(payload),
    debug: null,
    elements: [],
    elided: [],
    arguments: null,
  });

  test('an exported flight of counted hits, said to be that', async () => {
    const lastAt = '2026-01-01T00:00:00.950Z';
    const counted = { ...facts, kind: 'navigation', rendering: 'prerendered', hits: 1234, lastAt };
    const rest = { chunks: [], debug: null, elements: [], elided: [], arguments: null } as const;
    const said =
      'GET /lab (navigation, the first of 1,234 hits between 2026-01-01T00:00:00.000Z and 2026-01-01T00:00:00.950Z)';
    const payloadFile = {
      ...rest,
      facts: counted,
      content: 'flight',
      body: new TextEncoder().encode(payload),
    } as const;
    const pageFile = {
      ...rest,
      facts: counted,
      content: 'html',
      body: new TextEncoder().encode(page(payload)),
    } as const;
    const list = async (input: string) => JSON.parse((await run(['--json', '--list', '-'], input)).stdout);
    expect(await list(writeFlightFile(payloadFile))).toMatchObject([{ title: said }]);
    expect(await list(writeFlightFile(pageFile))).toMatchObject([{ title: expect.stringContaining(`${said}, page`) }]);
  });

  test.each<[string, string | Uint8Array]>([
    ['a payload', payload],
    ['a page', page(payload)],
    ['a HAR', har(payload)],
    ['an exported flight', exported],
    ['a compressed payload', gzipSync(payload)],
  ])('%s, from standard input', async (_, input) => {
    const { code, stdout, stderr } = await run(['--json', '-'], input);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = parse(stdout);
    expectShape(report);
    expect(report).toMatchObject({ bytes: payload.length, state: { kind: 'complete' } });
  });

  test('an exported flight says its three sizes', async () => {
    const write = (own: object) =>
      writeFlightFile({
        facts: { ...facts, ...own },
        content: 'flight',
        chunks: [],
        body: new TextEncoder().encode(payload),
        debug: null,
        elements: [],
        elided: [],
        arguments: null,
      });
    const sizes = { flight: payload.length, response: 1234, transferred: 567 };
    const text = (await run(['-'], write({ sizes }))).stdout;
    expect(text).toContain(`\nFlight ${payload.length} bytes · response 1,234 bytes · transferred 567 bytes\n`);
    expect(parse((await run(['--json', '-'], write({ sizes }))).stdout)).toMatchObject({ sizes });
    // Of before there were three.
    const older = (await run(['-'], write({ sentBytes: 567 }))).stdout;
    expect(older).toContain(`\nFlight ${payload.length} bytes · transferred 567 bytes\n`);
    expect((await run(['-'], exported)).stdout).toContain(`\nFlight ${payload.length} bytes\n`);
  });

  test('a long payload ends in a summary, unless all rows are asked for', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index.toString(16)}:"${'日'.repeat(index)}"\n`).join('');
    const whole = (await run(['-'], rows(40))).stdout;
    expect(whole.split('\nRows\n')[1]?.trimEnd().split('\n')).toHaveLength(41);
    const short = (await run(['-'], rows(1_041))).stdout;
    expect(short).toMatch(/Rows by kind\n +[\d,]+ +100 % {2}model × 1,041\n/);
    const [, largest = ''] = short.split('The largest rows\n');
    const lines = largest.trimEnd().split('\n');
    expect(lines[1]).toMatch(/^ {5}410 +[\d,]+ +3,127 {2}"日+…$/);
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)?.trim()).toBe('and 1,031 more: --rows shows every row, in the order sent');
    const all = (await run(['--rows', '-'], rows(1_041))).stdout;
    expect(all.split('\nRows\n')[1]?.trimEnd().split('\n')).toHaveLength(1_042);
    for (const line of `${short}${all}`.split('\n')) expect(countColumns(line)).toBeLessThanOrEqual(80);
  });

  test('several flights: the first, a list, and one by number', async () => {
    const several = har(payload, 'no flight', '0:"second"\n');
    const first = await run(['-'], several);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of 2: GET http://localhost/0 200') });
    expect(first.stderr).toContain('has 2 flights');
    const list = await run(['--list', '-'], several);
    expect(list.stdout.trim().split('\n')).toHaveLength(2);
    expect(JSON.parse((await run(['--list', '--json', '-'], several)).stdout)).toMatchObject([
      { flight: 1 },
      { flight: 2, bytes: 11 },
    ]);
    expect(parse((await run(['--json', '--flight', '2', '-'], several)).stdout)).toMatchObject({ bytes: 11 });
    expect(await run(['--flight', '3', '-'], several)).toMatchObject({ code: 2, stdout: '' });
  });

  test('a file named from where npm was called', async () => {
    writeFileSync(path.join(folder, 'a.flight'), payload);
    expect(await launch(['a.flight'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('exit status', () => {
  test.each([
    ['malformed', '0:"a"\nzz', 1, 6],
    ['broken JSON', '0:{"a":1,}\n', 1, 9],
    ['truncated', '0:"a"\n1:"b', 0, 10],
    ['a blank line', '0:"a"\n\n1:"b"\n', 1, 6],
  ])('%s', async (_, input, code, at) => {
    const asText = await run(['-'], input);
    expect(asText.code).toBe(code);
    expect(asText.stdout).toContain(`at byte ${at}`);
    expect(asText.stderr.includes(`at byte ${at}`)).toBe(code === 1);
    const asJson = await run(['--json', '-'], input);
    expect(asJson).toMatchObject({ code, stderr: '' });
    expect(parse(asJson.stdout)).toMatchObject({ state: { at } });
  });

  test.each([
    ['no file', [], ''],
    ['two files', ['a', 'b'], ''],
    ['an option that is none', ['--jsonn', 'a'], ''],
    ['a number that is none', ['--flight', '0', '-'], ''],
    ['a file that is not there', ['nowhere.flight'], ''],
    ['a folder', ['.'], ''],
    ['nothing', ['-'], ''],
    ['a page without Flight', ['-'], '<!doctype html><p>Hello</p>'],
    ['a broken HAR', ['-'], '{"log":{"entries":['],
    ['JSON', ['-'], '{"a":1}'],
    ['a broken exported flight', ['-'], '{"format":"flight-recorder/flight@1"}'],
    ['an action’s request', ['-'], '["$h1"]'],
    ['broken gzip', ['-'], Buffer.from([0x1f, 0x8b, 8, 0, 1])],
    ['a PDF', ['-'], '%PDF-1.7\n'],
    ['headers alone', ['-'], 'HTTP/1.1 307 Temporary Redirect\r\n\r\n'],
    ['a header for a file', ['-H', 'A: b', '-'], '0:1\n'],
    ['a budget that is not there', ['--budget', 'nowhere.json', '-'], '0:1\n'],
    ['an address where nothing answers', ['http://127.0.0.1:9/'], ''],
  ])('2 for %s', async (_, words, input) => {
    const { code, stdout, stderr } = await run(words, input);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^flight: .+\n/);
  });

  test('2 for more than 64 MiB, compressed or not', { timeout: 30_000 }, async () => {
    const bomb = gzipSync(new Uint8Array(70 * 1024 * 1024));
    expect(await run(['-'], bomb)).toMatchObject({ code: 2, stdout: '' });
    writeFileSync(path.join(folder, 'large'), new Uint8Array(65 * 1024 * 1024));
    expect(await run(['large'])).toMatchObject({ code: 2, stderr: expect.stringContaining('64 MiB') });
  });

  test('help is no error', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Usage') });
  });
});

describe('as a check', () => {
  const large = `0:"${'a'.repeat(994)}"\n`;

  test('what exceeds a limit is a line, and the status 1', async () => {
    const exceeded = await run(['--quiet', '--max-bytes', '900B', '-'], large);
    expect(exceeded).toEqual({
      code: 1,
      stdout: '',
      stderr: 'flight: standard input: it has 999 bytes, 99 over the limit of 900\n',
    });
    expect(await run(['-q', '--max-bytes', '999', '--max-gzip', '1kB', '-'], large)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const shown = await run(['--max-bytes', '1', '-'], large);
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('Rows') });
    const asJson = await run(['--json', '--max-bytes', '1', '-'], large);
    expect(asJson).toMatchObject({ code: 1, stderr: expect.stringContaining('over the limit') });
    expect(parse(asJson.stdout)).toMatchObject({ bytes: 999 });
  });

  test('a budget file, of which an option is the exception', async () => {
    writeFileSync(path.join(folder, 'budget.json'), '{"maxBytes":"900","noErrors":true}');
    const failing = await run(['-q', '--budget', 'budget.json', '-'], `${large}1:E{"digest":"x"}\n`);
    expect(failing.code).toBe(1);
    expect(failing.stderr.trim().split('\n')).toHaveLength(2);
    expect(await run(['-q', '--budget', 'budget.json', '--max-bytes', '1kB', '-'], large)).toMatchObject({ code: 0 });
    writeFileSync(path.join(folder, 'wrong.json'), '{"maxByte":1}');
    expect(await run(['-q', '--budget', 'wrong.json', '-'], large)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'flight: the budget wrong.json: there is no limit maxByte\n',
    });
  });

  test('every flight of a HAR is checked, unless one is asked for', async () => {
    const several = har('0:1\n', large, large);
    const all = await run(['-q', '--max-bytes', '900', '-'], several);
    expect(all).toMatchObject({ code: 1, stdout: '' });
    expect(all.stderr.trim().split('\n')).toEqual([
      'flight: GET http://localhost/1 200: it has 999 bytes, 99 over the limit of 900',
      'flight: GET http://localhost/2 200: it has 999 bytes, 99 over the limit of 900',
    ]);
    expect(await run(['-q', '--max-bytes', '900', '--flight', '1', '-'], several)).toMatchObject({ code: 0 });
  });
});

test('what a HAR lacks is said, a line each', async () => {
  const lost = (number: number) => ({
    request: { method: 'GET', url: `http://localhost/${number}?_rsc=1` },
    response: { status: 200, content: { size: 1234 } },
  });
  const entries = [...JSON.parse(har('0:1\n')).log.entries, ...Array.from({ length: 25 }, (_, number) => lost(number))];
  const input = JSON.stringify({ log: { entries } });
  const listed = await run(['--list', '-'], input);
  expect(listed.stdout.trim().split('\n')).toHaveLength(1);
  const lines = listed.stderr.trim().split('\n');
  expect(lines).toHaveLength(21);
  expect(lines[0]).toBe(
    'flight: GET http://localhost/0?_rsc=1 200 is left out: the HAR holds no body for it, and says there were 1,234 bytes',
  );
  expect(lines[20]).toBe('flight: and 5 more are left out');
  expect((await run(['-q', '-'], input)).stderr).toBe('');
});

describe('a page of a running app', () => {
  const payload = '0:{"ROUTE":["/",""],"IS_STATIC":false}\n';

  async function serve(answer: (url: string) => string): Promise<{ address: string; close: () => void }> {
    const server = createServer(({ url = '' }, response) => {
      if (!url.startsWith('/RSC/')) response.setHeader('content-type', 'text/html');
      response.end(answer(url));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    const port = typeof bound === 'object' && bound ? bound.port : 0;
    return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
  }

  test('both reports, the document’s first', async () => {
    const { address, close } = await serve((url) => (url === '/' ? page(payload) : payload));
    const shown = await run([address]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout.match(/^[12] of 2: (?:document|payload) GET/gm)).toEqual([
      '1 of 2: document GET',
      '2 of 2: payload GET',
    ]);
    const asJson = await run(['--json', address]);
    expect(
      asJson.stdout
        .trim()
        .split('\n')
        .map((line) => parse(line)['framework']),
    ).toEqual(['waku', 'waku']);
    expect(JSON.parse((await run(['--list', '--json', address])).stdout)).toHaveLength(2);
    const second = await run(['--json', '--flight', '2', address]);
    expect(second.stdout.trim().split('\n')).toHaveLength(1);
    const checked = await run(['-q', '--max-bytes', '5', address]);
    expect(checked.stderr.trim().split('\n')).toHaveLength(2);
    expect(checked).toMatchObject({ code: 1, stdout: '' });
    close();
  });

  test('2 when the payload fails, after the document’s report', async () => {
    const { address, close } = await serve((url) => (url === '/' ? page(payload) : 'Failed'));
    const shown = await run([address]);
    expect(shown).toMatchObject({ code: 2, stdout: expect.stringContaining('document GET') });
    expect(shown.stderr).toBe(`flight: payload GET ${address}RSC/R/_root.txt?query= 200: it is no Flight\n`);
    close();
  });
});

describe('on the terminal', () => {
  test('nothing of a payload is a control character', async () => {
    const evil = '\u001b]0;title\u0007\u009b2J\u202e\u2028\u{e0041}\u0000';
    const text = JSON.stringify([evil, { [evil]: evil }, ['$', evil, evil, { [evil]: evil.repeat(20) }]]);
    const payload = `0:${text}\n1:E${JSON.stringify({ digest: evil })}\n2:I${JSON.stringify([evil, [evil], evil])}\n`;
    const asText = await run(['-'], payload);
    expect(asText.code).toBe(0);
    expect(asText.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2028\u{e0041}]/u);
    expect(asText.stdout).toContain(String.raw`\u001b`);
    const asJson = await run(['--json', '-'], payload);
    expect(asJson.stdout).not.toMatch(/[\p{Cc}\u202e\u2028\u{e0041}].*\n/u);
    expect(JSON.parse(asJson.stdout).modules[0].name).toBe(evil);
    const complaint = await run([`no${evil.replace('\0', '')}`]);
    expect(complaint.stderr).not.toMatch(/[\p{Cc}\u202e\u2028\u{e0041}].*\n/u);
  });

  test('neither is anything of an address', async () => {
    const evil = 'http://localhost/\u009b2J\u202e';
    const recorded = har('0:1\n', '0:2\n').replaceAll('http://localhost/', evil);
    for (const options of [['--list'], ['--list', '--json'], []]) {
      const { stdout, stderr } = await run([...options, '-'], recorded);
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(stdout).toContain(String.raw`\u009b2J\u202e`);
    }
  });

  test('a reader that leaves ends it quietly', async () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => `${id.toString(16)}:"row ${id}"\n`).join('');
    writeFileSync(path.join(folder, 'long.flight'), rows);
    const child = spawn(process.execPath, [main, path.join(folder, 'long.flight')]);
    const err: Buffer[] = [];
    child.stderr.on('data', (piece: Buffer) => err.push(piece));
    const code = await new Promise((resolve) => {
      child.on('close', resolve);
      child.stdout.once('data', () => child.stdout.destroy());
    });
    expect({ code, stderr: Buffer.concat(err).toString() }).toEqual({ code: 0, stderr: '' });
  });
});
