import { beforeEach, expect, it, vi } from 'vitest';

import type { Experiment } from '../list/experiment.ts';
import type { SaveNews } from './save-news.ts';

const lab = vi.hoisted(() => ({ problem: undefined as Experiment['problem'], fails: false, payload: '', rendered: 0 }));
const flight = { id: 1, status: 200, digests: [], startedAt: 0, isCut: false, outcome: 'complete' };

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
vi.mock('#src/http/request-context.ts', () => ({ runInRequest: (_: unknown, run: () => unknown) => run() }));
vi.mock('#src/http/create-request-context.ts', () => ({ createContext: () => ({}) }));
vi.mock('#src/http/server-settings.ts', () => ({ serverSettings: () => ({ auth: 'off' }) }));
vi.mock('#src/recorder/recorder.ts', () => ({
  currentWriter: () => ({ flush: async () => undefined }),
  readRecordingState: () => ({ policy: { mode: 'all' } }),
}));
vi.mock('#src/recorder/for-operator/queries.ts', () => ({
  findFlightOfRequest: async () => flight,
  readFlight: async () => flight,
}));
vi.mock('#src/recorder/for-operator/wait-for-flight.ts', () => ({ waitForFlight: async () => undefined }));
vi.mock('#src/recorder/for-operator/list-saves.ts', () => ({
  listSaves: async () => (lab.rendered > 0 ? [{ traceId: `trace ${lab.payload}`, flights: [flight] }] : []),
}));
vi.mock('#src/recorder/read-payload.ts', () => ({
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

beforeEach(() => {
  Object.assign(lab, { problem: undefined, fails: false, payload: page('"b"'), rendered: 0 });
});

function page(type: string): string {
  return `0:{"page:/lab/x":["$",${type},null,{"children":"text"}]}\n`;
}

async function measure() {
  const news: SaveNews[] = [];
  const good: boolean[] = [];
  await measureSave('x', {
    origin: 'http://127.0.0.1:1',
    signal: new AbortController().signal,
    onBegun: () => undefined,
    onRendered: (isGood) => void good.push(isGood),
    onNews: (one) => void news.push(one),
  });
  return { good, saves: news.at(-1)?.saves.length, state: news.at(-1)?.state };
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
