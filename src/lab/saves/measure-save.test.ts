import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeEach, expect, it, vi } from 'vitest';

import type { Experiment } from '../list/experiment.ts';
import type { SaveMessage } from './save-messages.ts';

const lab = vi.hoisted(() => ({ problem: undefined as Experiment['problem'], fails: false, payload: '', rendered: 0 }));
const flight = { id: 1, status: 200, digests: [] as string[], startedAt: 0, isCut: false, outcome: 'complete' };

vi.mock('virtual:flight-recorder/experiments', () => ({
  experiments: [
    {
      name: 'x',
      status: 'working',
      get fails() {
        return lab.fails;
      },
      get problem() {
        return lab.problem;
      },
    },
  ],
}));
vi.mock('#src/server/http/request-context.ts', () => ({ runInRequest: (_: unknown, run: () => unknown) => run() }));
vi.mock('#src/server/http/create-request-context.ts', () => ({ createContext: () => ({}) }));
vi.mock('#src/server/http/server-settings.ts', () => ({ serverSettings: () => ({ auth: 'off' }) }));
vi.mock('#src/flights/recorder/recorder.ts', () => ({
  currentWriter: () => ({ flush: async () => undefined }),
  readRecordingState: () => ({ policy: { mode: 'all' } }),
}));
vi.mock('#src/flights/for-operator/queries.ts', () => ({
  findFlightOfRequest: async () => flight,
  readFlight: async () => flight,
}));
vi.mock('#src/flights/for-operator/wait-for-flight.ts', () => ({ waitForFlight: async () => undefined }));
vi.mock('#src/flights/for-operator/list-saves.ts', () => ({
  listSaves: async () => (lab.rendered > 0 ? [{ traceId: `trace ${lab.payload}`, flights: [flight] }] : []),
}));
vi.mock('#src/flights/flight/read-payload.ts', () => ({
  readPayload: () => new TextEncoder().encode(lab.payload),
  listPayloadChunks: () => [],
}));
vi.mock('./render-experiment.ts', () => ({
  createTrace: () => 'trace',
  renderExperiment: async () => {
    lab.rendered += 1;
    return { requestId: 'r', status: 200, digest: undefined };
  },
}));

const { measureSave } = await import('./measure-save.ts');

const folder = mkdtempSync(path.join(tmpdir(), 'measure-save-'));
writeFileSync(path.join(folder, 'caught.tsx'), 'class Caught { static getDerivedStateFromError() {} }');
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  flight.digests = [];
  flight.outcome = 'complete';
  Object.assign(lab, { problem: undefined, fails: false, payload: page('"b"'), rendered: 0 });
});

function page(type: string): string {
  return `0:{"page:/lab/x":["$",${type},null,{"children":"text"}]}\n`;
}

async function measure() {
  const messages: SaveMessage[] = [];
  const good: boolean[] = [];
  await measureSave('x', {
    origin: 'http://127.0.0.1:1',
    signal: new AbortController().signal,
    onBegun: () => undefined,
    onRendered: (isGood) => void good.push(isGood),
    onMessage: (one) => void messages.push(one),
  });
  const last = messages.at(-1);
  return { good, saves: last?.saves.length, state: last?.state, last: last?.saves.at(-1) };
}

it('measures a good save', async () => {
  expect(await measure()).toMatchObject({ good: [true], saves: 1, state: { kind: 'measured' } });
});

it.each([
  [{ kind: 'no-default' } as const, /no default export/],
  [{ kind: 'bad-export', name: 'group', expected: "export const group = '…'" } as const, /‘group’ should be written/],
])('does not render a file whose page is the text about it: %o', async (problem, message) => {
  lab.problem = problem;
  expect(await measure()).toMatchObject({
    good: [false],
    saves: 0,
    state: { kind: 'broken', isKept: false, problem: { message: expect.stringMatching(message) } },
  });
  expect(lab.rendered).toBe(0);
});

it('does not count a save with an element that has no type, unless the experiment is about errors', async () => {
  lab.payload = page('"$undefined"');
  expect(await measure()).toMatchObject({
    good: [false],
    saves: 0,
    state: { kind: 'broken', isKept: true, problem: { message: expect.stringContaining('no type') } },
  });
  lab.fails = true;
  expect(await measure()).toMatchObject({ good: [true], saves: 1 });
});

const rejected = '3:E{"digest":"ABCDE12345"}\n';

it('counts a save whose error its own boundary catches, and says so', async () => {
  flight.digests = ['ABCDE12345'];
  const boundary = `2:I["/@fs${folder}/caught.tsx",[],"Caught"]\n`;
  lab.payload = `${boundary}0:{"page:/lab/x":["$","$L2",null,{"late":"$@3"}]}\n${rejected}`;
  const told = await measure();
  expect(told).toMatchObject({ good: [true], saves: 1, state: { kind: 'measured' } });
  expect(told.last?.caught).toEqual({ errors: 1, boundaries: ['caught.tsx'], promises: 0, givenTo: [] });
});

it('takes a save for broken whose error no boundary of its own is around', async () => {
  flight.digests = ['ABCDE12345'];
  lab.payload = `0:{"page:/lab/x":["$","p",null,{"children":"$L3"}]}\n${rejected}`;
  expect(await measure()).toMatchObject({ good: [false], saves: 0, state: { kind: 'broken' } });
});

it('does not show an earlier save as what it measured when the flight was not recorded as a whole', async () => {
  flight.outcome = 'left';
  lab.payload = page('"i"');
  expect(await measure()).toMatchObject({ good: [true], state: { kind: 'not-measured' } });
});
