import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, it, onTestFinished } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');

/** Run by Node alone: no bundler, no condition `react-server`, nothing but types stripped. */
async function runInNode(program: string, data = '', flags: readonly string[] = []): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
    { cwd: root, env: { PATH: process.env['PATH'], FLIGHT_DATA: data, RECORD: 'all' } },
  );
  return JSON.parse(stdout);
}

const recordOne = `
import { openRecording, answerRecording, startRecorder } from '#src/flights/recorder/recorder.ts';
import { DatabaseSync } from 'node:sqlite';
let sink;
const stop = await startRecorder({ addSink: (added) => ((sink = added), () => (sink = undefined)), build: 'b1' });
const request = {
  id: '1'.repeat(32), kind: 'navigation', method: 'GET', path: '/page', traceId: '2'.repeat(32), startedAt: Date.now(),
  address: '', nonce: '', operator: undefined, signal: new AbortController().signal, digests: [], breadcrumbs: [],
};
const recording = openRecording(request, () => ({ url: 'http://host.test/RSC/R/page.txt', headers: new Headers() }));
const tap = sink({ request, elementIds: ['root', 'page:/page'], isStatic: false });
tap.write('0:"a payload"\\n', 'payload');
tap.end('complete');
answerRecording(recording, { status: 200 });
await stop();
const database = new DatabaseSync(process.env.FLIGHT_DATA + '/flights.db');
const row = database.prepare('select path, route, build, status, data from flight join body on body.id = body_id').get();
console.log(JSON.stringify({ ...row, data: Buffer.from(row.data).toString(), isObserved: sink !== undefined }));
`;

it('records a flight', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-plain-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await runInNode(recordOne, folder)).toEqual({
    path: '/page',
    route: '/page',
    build: 'b1',
    status: 200,
    data: '0:"a payload"\n',
    isObserved: false,
  });
}, 30_000);

it('can load every module of the plain rooms', async () => {
  const all = globSync('src/{recorder,store,http,environment}/**/*.ts', { cwd: root });
  const plain = all.filter((file) => !/\.test\.ts$|\/for-operator\/|\/vite\.ts$/.test(file));
  const program = `for (const file of ${JSON.stringify(plain)}) await import('./' + file); console.log('"loaded"')`;
  expect(plain.length).toBeGreaterThan(50);
  expect(await runInNode(program)).toBe('loaded');
}, 30_000);

it('says why it does not start where Node makes no code from strings', async () => {
  const program = `import '#src/flights/recorder/recorder.ts'`;
  await expect(runInNode(program, '', ['--disallow-code-generation-from-strings'])).rejects.toThrow(
    'run Node without --disallow-code-generation-from-strings',
  );
}, 30_000);
