import 'server-only';

import { randomBytes } from 'node:crypto';

import { digestHeader, saveHeader } from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { experimentPath } from '#src/server/http/addresses.ts';
import { toPayloadPath } from '#src/server/http/waku-addresses.ts';

/** One rendering as it was answered. */
export type Rendering = { readonly requestId: string; readonly status: number; readonly digest: string | undefined };

/** A save has a trace of its own: by it the recording knows which renderings belong together. */
export function createTrace(): string {
  return randomBytes(16).toString('hex');
}

type RenderOptions = {
  readonly origin: string;
  readonly trace: string;
  readonly signal: AbortSignal;
  /** Called when the answer begins: what changed is compiled then. */
  readonly onBegun?: () => void;
};

/**
 * Asks this server for the payload of an experiment, as a browser does that goes to its page, and reads it to its end.
 * @throws when the server cannot be reached, or `signal` aborts
 */
export async function renderExperiment(
  name: string,
  { origin, trace, signal, onBegun }: RenderOptions,
): Promise<Rendering> {
  const response = await fetch(`${origin}${toPayloadPath(experimentPath(name))}`, {
    headers: { [saveHeader]: '1', 'sentry-trace': `${trace}-${randomBytes(8).toString('hex')}` },
    signal,
    redirect: 'manual',
  });
  onBegun?.();
  for await (const _ of response.body ?? []) {
    // The recorder keeps the bytes with their times.
  }
  return {
    requestId: response.headers.get(requestIdHeader) ?? '',
    status: response.status,
    digest: response.headers.get(digestHeader) ?? undefined,
  };
}
