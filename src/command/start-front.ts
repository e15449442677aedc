import { createProxy } from '#src/proxy/create-proxy.ts';

import { WrongUse } from './command.ts';
import { explainListenFailure } from './ports.ts';
import type { ReadOptions } from './read-options.ts';
import { chooseAppId } from './recorded-app.ts';

/** The proxy with the recorder behind it, in this process: what `run` and `proxy` share. */
export type FrontPlan = {
  readonly app: string;
  readonly port: number;
  readonly host: string;
  readonly hostHeader: 'keep' | 'upstream';
  /** As the option says it. */
  readonly data: ReadOptions['values'];
};

export type Front = {
  /** Answers what is in flight for at most so long, and writes what waits to be recorded. */
  readonly stop: (drainMs: number) => Promise<void>;
};

/** @throws WrongUse */
export function readFront(values: ReadOptions['values'], port: number): FrontPlan {
  const hostHeader = values.get('--host-header') ?? 'keep';
  if (hostHeader !== 'keep' && hostHeader !== 'upstream') throw new WrongUse('--host-header is keep or upstream');
  const host = values.get('--host') ?? '127.0.0.1';
  return { app: chooseAppId(values.get('--app'), process.cwd()), port, host, hostHeader, data: values };
}

/** @throws with one line when it cannot listen, or `to` is no address */
export async function startFront({ port, host, hostHeader }: FrontPlan, to: string): Promise<Front> {
  const front = createProxy({ to, hostHeader });
  try {
    await front.listen(port, host);
  } catch (error) {
    throw explainListenFailure(error, port, '--port');
  }
  let stopping: Promise<void> | undefined;
  return {
    stop: (drainMs) => (stopping ??= front.drain(drainMs)),
  };
}
