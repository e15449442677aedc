import { afterEach, expect, test, vi } from 'vitest';

import { beginDraining } from '#src/http/draining.ts';

import type { Metric } from './metric.ts';
import { answerWorkers, askWorkers } from './other-workers.ts';
import { createMetrics } from './registry.ts';

type Message = { readonly type: string; readonly topic: string; readonly text: string };

/** Two workers in one process: what one tells its primary, the other hears, and the other way round. */
function pretend(count: number, answer: (message: Message) => void): void {
  globalThis.__FLIGHT_WORKER__ = { number: 1, count, door: '', wasStoppedCleanly: true, cause: 'first' };
  vi.stubGlobal('process', Object.assign(process, { connected: true, send: (message: Message) => answer(message) }));
}

const before = { connected: process.connected, send: process.send };

afterEach(() => {
  Object.assign(process, before);
  vi.unstubAllGlobals();
  globalThis.__FLIGHT_WORKER__ = undefined;
});

function hear(message: Message): void {
  process.emit('message', message, undefined);
}

test('one process asks nobody', async () => {
  expect(await askWorkers()).toEqual([]);
});

const common = { help: 'A test.', labels: ['kind'] } as const;

function createOnes(requests: number, fill: number) {
  const metrics: readonly Metric[] = [
    {
      ...common,
      name: 'flight_recorder_a_total',
      of: 'process',
      type: 'counter',
      read: () => [{ labels: { kind: 'x' }, value: requests }],
    },
    {
      ...common,
      name: 'flight_recorder_fill',
      of: 'shared',
      type: 'gauge',
      read: () => [{ labels: { kind: 'x' }, value: fill }],
    },
    {
      ...common,
      name: 'flight_recorder_b_seconds',
      of: 'process',
      type: 'histogram',
      read: () => [{ labels: { kind: 'x' }, observed: { bounds: [1], cumulative: [requests, requests + 1], sum: 2 } }],
    },
  ];
  return createMetrics(metrics);
}

test('a scrape has what each worker did, under its number, and once what they share', async () => {
  globalThis.__FLIGHT_WORKER__ = { number: 2, count: 2, door: '', wasStoppedCleanly: true, cause: 'first' };
  const other = createOnes(4, 7);
  globalThis.__FLIGHT_WORKER__ = { ...globalThis.__FLIGHT_WORKER__, number: 1 };
  const own = createOnes(3, 7);
  pretend(2, (message) => {
    if (message.topic === 'metrics-wanted') {
      void other
        .count()
        .then((metrics) =>
          hear({ ...message, topic: 'metrics-told', text: JSON.stringify({ question: message.text, metrics }) }),
        );
    }
  });
  const lines = (await own.serve()).text.split('\n');
  expect(lines).toContain('flight_recorder_a_total{kind="x",worker="1"} 3');
  expect(lines).toContain('flight_recorder_a_total{kind="x",worker="2"} 4');
  expect(lines.filter((line) => line.startsWith('flight_recorder_fill'))).toEqual(['flight_recorder_fill{kind="x"} 7']);
  expect(lines).toContain('flight_recorder_b_seconds_bucket{le="1",kind="x",worker="1"} 3');
  expect(lines).toContain('flight_recorder_b_seconds_bucket{le="+Inf",kind="x",worker="2"} 5');
  expect(lines).toContain('flight_recorder_b_seconds_sum{kind="x",worker="2"} 2');
  expect(lines.filter((line) => /^process_cpu_seconds_total\{worker="[12]"\} /.test(line))).toHaveLength(2);
  expect(lines).toContain('# TYPE flight_recorder_b_seconds histogram');
});

test('what is no answer to this question is not counted, and a worker that does not answer is left out', async () => {
  pretend(3, (message) => {
    const tell = (text: string) => hear({ ...message, topic: 'metrics-told', text });
    tell('no JSON');
    tell(JSON.stringify({ question: 'another', metrics: [] }));
    tell(JSON.stringify({ question: message.text, metrics: 'x' }));
    tell(JSON.stringify({ question: message.text, metrics: [{ name: 'a' }] }));
  });
  expect(await askWorkers()).toEqual([[{ name: 'a' }]]);
});

test('a worker answers the question that it was asked, and no other news', async () => {
  const told: Message[] = [];
  pretend(2, (message) => told.push(message));
  const stop = answerWorkers(async () => [{ name: 'a' }]);
  hear({ type: 'news', topic: 'sessions', text: '' });
  hear({ type: 'news', topic: 'metrics-wanted', text: 'q1' });
  await vi.waitFor(() => expect(told).toHaveLength(1));
  stop();
  hear({ type: 'news', topic: 'metrics-wanted', text: 'q2' });
  expect(told).toEqual([{ type: 'news', topic: 'metrics-told', text: '{"question":"q1","metrics":[{"name":"a"}]}' }]);
});

/** The last of this file: nothing ends a drain but the end of the process. */
test('a worker that is about to end does not answer: the one in its place has its number', async () => {
  const told: Message[] = [];
  pretend(2, (message) => told.push(message));
  let counted = 0;
  answerWorkers(async () => {
    counted += 1;
    return [];
  });
  hear({ type: 'news', topic: 'metrics-wanted', text: 'q1' });
  expect(counted).toBe(1);
  beginDraining(true);
  hear({ type: 'news', topic: 'metrics-wanted', text: 'q2' });
  expect(counted).toBe(1);
});
