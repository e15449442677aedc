import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

import { keep } from '../kept/keep.ts';

/**
 * Keeps what the form of our own error page posts: one text per digest and sender a minute. The same text again is somebody who
 * pressed the button twice; it is answered as before and not kept again.
 */
export type PageFeedback = {
  /** In its stored form. */
  readonly digest: string;
  readonly message: string;
  readonly path: string;
};

export type KeptFeedback =
  | { readonly status: 'kept' }
  /** Seconds to wait. */
  | { readonly status: 'too-soon'; readonly wait: number }
  | { readonly status: 'no-room'; readonly detail: string };

const pauseMs = 60_000;
/** More than the middleware lets in within a minute. The oldest is forgotten first. */
const sendersKept = 200;

type Sent = { readonly message: string; readonly at: number };

/** By digest and sender, the latest last. */
const sent = new Map<string, Sent>();

function noteSent(key: string, message: string): void {
  sent.delete(key);
  sent.set(key, { message, at: performance.now() });
  const [oldest] = sent.keys();
  if (sent.size > sendersKept && oldest !== undefined) sent.delete(oldest);
}

/**
 * @param sender whoever cannot post twice: a network
 * @throws the database's error
 */
export async function keepPageFeedback({ digest, message, path }: PageFeedback, sender: string): Promise<KeptFeedback> {
  const key = `${digest} ${sender}`;
  const last = sent.get(key);
  const left = last ? pauseMs - (performance.now() - last.at) : 0;
  if (last && left > 0) {
    return last.message === message ? { status: 'kept' } : { status: 'too-soon', wait: Math.ceil(left / 1000) };
  }
  const feedback = { app: ownApp, source: 'error-page', digest, name: '', email: '', message, path } as const;
  const { status } = await keep({ type: 'feedback', feedback: { ...feedback, receivedAt: Date.now() } });
  if (status !== 'committed' && status !== 'spooled') return { status: 'no-room', detail: status };
  noteSent(key, message);
  return { status: 'kept' };
}
