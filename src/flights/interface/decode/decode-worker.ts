import type { Flight } from '#flight';

import { addTexts } from '#viewer/add-texts.ts';
import { measureGzip } from '#viewer/measure-gzip.ts';
import { performUnderstandTask } from '#viewer/understand-task.ts';

import { performDecodeTask, type DecodeAnswer } from './decode-task.ts';
import type { WorkerReply, WorkerRequest } from './worker-messages.ts';

/**
 * Decodes a flight and counts its bytes, so that the page answers meanwhile: 5 MB take a second. The page gets the flight as
 * soon as it is decoded: the buffers go over and are not copied on the way. What is counted is a copy that was made before,
 * which is cheaper than to decode or to send it again, and goes when the worker ends.
 */
let kept: Flight | undefined;

function copyFlight(flight: Flight): Flight {
  const { rows, tape } = flight;
  const bytes = flight.bytes.slice();
  return {
    ...flight,
    bytes,
    rows: {
      ...rows,
      bytes,
      starts: rows.starts.slice(),
      models: rows.models.slice(),
      firstOfId: rows.firstOfId.slice(),
    },
    tape: { words: tape.words.slice(0, tape.size), size: tape.size },
    window: { ...flight.window },
  };
}

/** The large buffers in an answer: they are transferred, not copied. */
function listBuffers(answer: DecodeAnswer): ArrayBufferLike[] {
  if (answer.kind === 'opened') {
    const { bytes, rows, tape } = answer.flight;
    return [bytes, rows.starts, rows.models, rows.firstOfId, tape.words].map(({ buffer }) => buffer);
  }
  const { input } = answer;
  if (input.kind === 'unreadable') return [input.bytes.buffer];
  return input.flights.flatMap((found) => (found.direction === 'response' ? [found.bytes.buffer] : []));
}

function reply(message: WorkerReply, buffers: readonly ArrayBufferLike[] = []): void {
  const transfer = [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
  globalThis.postMessage(message, { transfer });
}

async function perform(request: WorkerRequest): Promise<void> {
  switch (request.kind) {
    case 'decode': {
      const answer = await performDecodeTask(request.task);
      if (answer.kind === 'opened') kept = copyFlight(answer.flight);
      reply({ kind: 'decoded', answer }, listBuffers(answer));
      return;
    }
    case 'keep':
      kept = request.flight;
      return;
    case 'count': {
      if (!kept) throw new Error('there is no flight to count');
      const { chunks, response } = request;
      const parts = performUnderstandTask({ flight: kept, chunks, response });
      reply({ kind: 'understood', understood: addTexts(kept, parts) });
      reply({ kind: 'compressed', size: await measureGzip(kept.bytes) });
    }
  }
}

async function performOrSay(request: WorkerRequest): Promise<void> {
  try {
    await perform(request);
  } catch (error) {
    reply({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

/** One after the other: what is kept is of the request before. */
let last = Promise.resolve();

globalThis.addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  last = last.then(() => performOrSay(data));
});
