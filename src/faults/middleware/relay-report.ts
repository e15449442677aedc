import 'server-only';

import { isRecord } from '#boundary';
import type { RecorderAddress } from '#report/recorder-url.ts';
import { mountPath, sdkEnvelopePath } from '#src/server/http/addresses.ts';
import { sideHeader } from '#src/server/http/flight-headers.ts';

import type { IngestResult } from '../receive/ingest-envelope.ts';

/**
 * Hands a browser's error on to the recorder, from a process that stands between the two: with the app's secret key, and marked as a
 * untrusted error of a browser.
 */
const answerMs = 10_000;

/** `base` has the recorder's own mount path. */
function toRecorder(base: string, path: string): string {
  return base + path.slice(mountPath.length);
}

async function readId(response: Response): Promise<readonly string[]> {
  const answer: unknown = await response.json();
  return isRecord(answer) && typeof answer['id'] === 'string' ? [answer['id']] : [];
}

/** @param address of the recorder; undefined: it is not there */
export async function relayReport(
  address: RecorderAddress | undefined,
  body: Uint8Array,
  userAgent: string | undefined,
): Promise<IngestResult> {
  if (!address) return { status: 'refused', httpStatus: 503, detail: 'the recorder is not there' };
  const { base, app, key } = address;
  const response = await fetch(toRecorder(base, sdkEnvelopePath(app)), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`,
      [sideHeader]: 'browser',
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
    },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  });
  if (response.ok) return { status: 'stored', eventIds: await readId(response) };
  await response.text();
  const detail = `the recorder answered ${response.status}`;
  const isUnwanted = response.status === 400 || response.status === 413;
  return { status: 'refused', httpStatus: isUnwanted ? 400 : 503, detail };
}
