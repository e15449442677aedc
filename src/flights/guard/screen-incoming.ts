import type { IncomingMessage } from 'node:http';

import { createHold, type Screening } from '#src/proxy/screen.ts';

import type { Verdict } from './screen-fetch.ts';

/**
 * Waits for a body without taking it: what was read is put back, so that the app reads all of it from the beginning.
 *
 * Node lets that be done as long as the end was not told, which it is a turn after the last byte was read.
 */
export function screenIncoming(
  incoming: IncomingMessage,
  { limit, refusesLarger, isRefused }: Screening,
  onVerdict: (verdict: Verdict) => void,
): void {
  const hold = createHold(limit, () => decide(false));

  /** Also when the client has left: nobody is there to answer. */
  function stop(): void {
    incoming.off('readable', look).off('close', stop);
    hold.release();
  }

  function decide(isWhole: boolean): void {
    stop();
    const body = Buffer.concat(hold.chunks);
    if (body.length > 0) incoming.unshift(body);
    const isBad = isWhole ? isRefused(body) : refusesLarger;
    const verdict = isWhole ? 'forged' : 'too long';
    // A turn later, when the stream knows that nobody listens for a part of it any more.
    process.nextTick(onVerdict, isBad ? verdict : 'fine');
  }

  function look(): void {
    for (let chunk: unknown = incoming.read(); Buffer.isBuffer(chunk); chunk = incoming.read()) {
      if (!hold.add(chunk)) return decide(false);
    }
    if (incoming.complete) decide(true);
  }

  incoming.on('readable', look).on('close', stop);
}
