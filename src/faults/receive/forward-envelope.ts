import 'server-only';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { parseEnvelope } from './envelope.ts';
import type { Dsn } from '#src/server/environment/parse-dsn.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { asRecord } from './untrusted-json.ts';

/**
 * Copies envelopes to the operator's own Sentry, when `SENTRY_DSN` names one. Only this setting gives the address. An
 * address in an envelope is a stranger's text and is ignored (CVE-2023-46729 was a tunnel that used it). A redirect is
 * a stranger's text too, so none is followed. No header and no address of the visitor's request is sent along.
 *
 * It is a copy: the store already has the report. So a copy that cannot be delivered is a log line, and is not retried.
 */
const timeoutMs = 10_000;
/** A slow Sentry must not make bodies of a megabyte pile up here. The SDK allows itself 64 at once. */
const inFlightLimit = 16;
/** How long the SDKs wait when a 429 does not say how long. */
const defaultPauseMs = 60_000;
/** A pause longer than an hour is more likely a mistake than intended. */
const longestPauseMs = 3_600_000;

let inFlight = 0;
let pausedUntil = 0;

/**
 * The envelope with the address in its header replaced by `dsn`. The SDKs here are set up with the address of this app.
 */
function readdress(bytes: Uint8Array, dsn: Dsn): Uint8Array {
  const envelope = parseEnvelope(bytes);
  if (envelope.status === 'malformed') throw new Error('only an envelope that was ingested can be forwarded');
  const { dsn: _, trace, ...header } = envelope.header;
  const known = asRecord(trace);
  const line = JSON.stringify({ ...header, ...(known ? { trace: { ...known, public_key: dsn.publicKey } } : {}) });
  const lineEnd = bytes.indexOf(0x0a);
  const items = lineEnd === -1 ? new Uint8Array() : bytes.subarray(lineEnd);
  return Buffer.concat([Buffer.from(line), items]);
}

function readPause(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, longestPauseMs) : defaultPauseMs;
}

async function send(bytes: Uint8Array, dsn: Dsn): Promise<void> {
  const response = await fetch(dsn.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=flight-recorder, sentry_key=${dsn.publicKey}`,
    },
    body: new Uint8Array(readdress(bytes, dsn)),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (response.status === 429) pausedUntil = performance.now() + readPause(response);
  if (!response.ok) throw new Error(`answered ${response.status}`);
}

/**
 * Sends a copy of a received envelope and does not wait for it. Does nothing without `SENTRY_DSN`.
 * @throws when `SENTRY_DSN` is not a DSN
 */
export function forwardEnvelope(bytes: Uint8Array): void {
  const dsn = readSetting('SENTRY_DSN');
  if (!dsn || performance.now() < pausedUntil) return;
  if (inFlight >= inFlightLimit) {
    writeLog('warn', 'report-not-forwarded', { reason: 'too many are in flight' });
    return;
  }
  inFlight += 1;
  send(bytes, dsn)
    .catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      const reason = `${describeError(error)}${cause}`;
      writeLog('warn', 'report-not-forwarded', { reason });
    })
    .finally(() => {
      inFlight -= 1;
    });
}
