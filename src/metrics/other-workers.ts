import 'server-only';

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import * as v from 'valibot';

import { onDraining } from '#src/http/draining.ts';
import { onPrimary, tellPrimary } from '#src/workers/channel.ts';
import { thisWorker } from '#src/workers/this-worker.ts';

/**
 * Asks the other workers of this server for what they have counted. Whoever scrapes reaches one of them, and gets all. The primary
 * passes the question and the answers on, as it does with news; nobody but workers of this server hears them.
 *
 * A worker that does not answer in time is left out of this scrape. One that is about to end does not answer: the one that takes its
 * place has its number.
 */
type Counted = readonly object[];

const askTopic = 'metrics-wanted';
const tellTopic = 'metrics-told';
/** Prometheus gives up after 10 s. An answer takes some milliseconds; the first one loads prom-client. */
const answerMs = 1_500;

const answerSchema = v.object({ question: v.string(), metrics: v.array(v.looseObject({ name: v.string() })) });

function readAnswer(text: string): v.InferOutput<typeof answerSchema> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const parsed = v.safeParse(answerSchema, answer);
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** Answers what other workers ask. @param count what this one has counted */
export function answerWorkers(count: () => Promise<Counted>): () => void {
  if (!thisWorker()) return () => undefined;
  const stopHearing = onPrimary('news', ({ topic, text: question }) => {
    if (topic !== askTopic) return;
    void count().then((metrics) =>
      tellPrimary({ type: 'news', topic: tellTopic, text: JSON.stringify({ question, metrics }) }),
    );
  });
  const stopWaiting = onDraining(stopHearing);
  return function stopAnswering() {
    stopWaiting();
    stopHearing();
  };
}

/** What each of the others has counted; nothing where there are no others. */
export async function askWorkers(): Promise<readonly Counted[]> {
  const others = (thisWorker()?.count ?? 1) - 1;
  if (others <= 0) return [];
  const question = randomUUID();
  const answers: Counted[] = [];
  const whole = Promise.withResolvers<void>();
  const stopHearing = onPrimary('news', ({ topic, text }) => {
    const answer = topic === tellTopic ? readAnswer(text) : undefined;
    if (answer?.question !== question) return;
    answers.push(answer.metrics);
    if (answers.length === others) whole.resolve();
  });
  const late = new AbortController();
  try {
    tellPrimary({ type: 'news', topic: askTopic, text: question });
    await Promise.race([whole.promise, wait(answerMs, undefined, { signal: late.signal, ref: false })]);
    return answers;
  } finally {
    late.abort();
    stopHearing();
  }
}
