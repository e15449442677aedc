import 'server-only';

import { isRecord } from '#boundary';
import type { RecorderAddress } from '#report/recorder-url.ts';
import { mountPath, sdkEnvelopePath } from '#src/server/http/addresses.ts';
import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { refusedHeader, sideHeader } from '#src/server/http/flight-headers.ts';

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

type Relayed = { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> };

function post({ base, app, key }: RecorderAddress, { body, headers }: Relayed): Promise<Response> {
  return fetch(toRecorder(base, sdkEnvelopePath(app)), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`,
      [sideHeader]: 'browser',
      ...headers,
    },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  });
}

/** @param address of the recorder; undefined: it is not there */
export async function relayReport(
  address: RecorderAddress | undefined,
  body: Uint8Array,
  userAgent: string | undefined,
): Promise<IngestResult> {
  if (!address) return { status: 'refused', httpStatus: 503, detail: 'the recorder is not there' };
  const response = await post(address, { body, headers: userAgent === undefined ? {} : { 'user-agent': userAgent } });
  if (response.ok) return { status: 'stored', eventIds: await readId(response) };
  await response.text();
  const detail = `the recorder answered ${response.status}`;
  const isUnwanted = response.status === 400 || response.status === 413;
  return { status: 'refused', httpStatus: isUnwanted ? 400 : 503, detail };
}

const emptyEnvelope = new TextEncoder().encode('{}\n');

/** @param counts by code @returns whether the recorder has taken them */
export async function relayRefused(
  address: RecorderAddress | undefined,
  counts: ReadonlyMap<ErrorCode, number>,
): Promise<boolean> {
  if (!address) return false;
  const refused = [...counts].map(([code, count]) => `${code}=${count}`).join(',');
  const response = await post(address, { body: emptyEnvelope, headers: { [refusedHeader]: refused } });
  await response.text();
  return response.ok;
}
