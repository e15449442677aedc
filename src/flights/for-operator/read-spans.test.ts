import { randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { currentWriter } from '../recorder/recorder.ts';
import { useRecorder } from '../recorder/testing/use-recorder.ts';
import { packSpans } from '../traces/pack-spans.ts';
import { readServerTime } from './read-spans.ts';

useOperator();
useRecorder();

const now = Date.now();
const mebibyte = 1024 * 1024;

/** One row of the trace, with a name that does not become smaller. */
function add(traceId: string, first: string, nameBytes: number): void {
  const name = randomBytes(nameBytes / 2).toString('hex');
  const span = {
    traceId,
    id: first,
    parent: '',
    name,
    kind: 'internal',
    startedAt: now,
    ms: 5,
    hasFailed: false,
  } as const;
  for (const part of packSpans([span])) currentWriter().addSpans('shop', part);
}

function read(traceId: string) {
  return readServerTime({ app: 'shop', requestId: 'r'.repeat(32), traceId, startedAt: now, durationMs: 10 });
}

it('reads what was told of a trace, and nothing of one of which more was told than a page can hold', async () => {
  const [small, large] = ['a'.repeat(32), 'b'.repeat(32)];
  add(small, '1'.repeat(16), 16);
  for (let part = 0; part < 9; part += 1) add(large, `${part}`.repeat(16), mebibyte);
  await currentWriter().flush();
  expect((await read(small))?.spans).toHaveLength(1);
  expect(await read(large)).toBeUndefined();
});
